# Traps, job control, process substitution, coprocesses, here documents of bash.
set -m
trap 'echo trap usr1' USR1
trap 'echo trap exit $?' EXIT
trap 'echo trap err' ERR
kill -USR1 $$
sleep 5 & p=$!
jobs -l | sed "s/$p/PID/"
kill -STOP %1; sleep 0.1; jobs | cut -c 1-20
kill -CONT %1; kill %1; wait %1; echo "wait $?"
(exit 3); echo "status $?"
diff <(printf 'a\nb\n') <(printf 'a\nc\n')
coproc C { tr a-z A-Z; }
echo hello >&"${C[1]}"; eval "exec ${C[1]}>&-"; cat <&"${C[0]}"; wait
for i in 1 2 3; do (echo "child $i") & wait $!; done
declare -A m=([x]=1 [y]=2); echo "${!m[@]}" "${m[@]}" | tr ' ' '\n' | sort | tr '\n' ' '; echo
x=abcdef; echo "${x:2:3} ${x/c/X} ${x^^} ${#x}"
printf '%s\n' {1..12..3} | paste -sd,
cat <<EOF | wc -lc
$(seq 100)
EOF
timeout 0.2 sleep 5; echo "timeout $?"
( trap '' TERM; kill -TERM $BASHPID; echo survived )
{ bash -c 'ulimit -c 0; kill -SEGV $$'; } 2>/dev/null; echo "segv $?"
read -t 0.1 x < <(sleep 1); echo "read $?"
ulimit -n 64; ulimit -n
exec 9>/tmp/jobs.$$; flock 9 echo locked; rm /tmp/jobs.$$

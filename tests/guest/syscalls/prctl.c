// prctl(2) and personality(2) as far as they are the same on every architecture.
#include "check.h"
#include <sys/prctl.h>
#include <sys/personality.h>
static void onsig(int s) { _exit(5); }
int main(){
 setvbuf(stdout,NULL,_IONBF,0);
 show(prctl(PR_SET_PDEATHSIG, SIGUSR1)); int s=0; show(prctl(PR_GET_PDEATHSIG,&s)); show(s);
 show(prctl(PR_SET_PDEATHSIG, 99)); show(prctl(PR_SET_PDEATHSIG, 0));
 show(prctl(PR_SET_CHILD_SUBREAPER,1)); show(prctl(PR_GET_CHILD_SUBREAPER,&s)); show(s);
 show(prctl(PR_SET_NAME,"a long name indeed")); char b[17]=""; show(prctl(PR_GET_NAME,b)); puts(b);
 show(prctl(PR_SET_DUMPABLE,0)); show(prctl(PR_GET_DUMPABLE)); show(prctl(PR_SET_DUMPABLE,1)); show(prctl(PR_SET_DUMPABLE,7));
 show(prctl(PR_SET_KEEPCAPS,1)); show(prctl(PR_GET_KEEPCAPS)); show(prctl(PR_SET_TIMERSLACK,1000)); show(prctl(PR_GET_TIMERSLACK));
 show(prctl(PR_SET_NO_NEW_PRIVS,1,0,0,0)); show(prctl(PR_GET_NO_NEW_PRIVS,0,0,0,0)); show(prctl(PR_SET_NO_NEW_PRIVS,0,0,0,0));
 show(prctl(PR_SET_THP_DISABLE,1,0,0,0)); show(prctl(PR_GET_THP_DISABLE,0,0,0,0)); show(prctl(PR_SET_THP_DISABLE,0,0,0,0));
 show(prctl(PR_GET_SECUREBITS)); show(prctl(PR_CAPBSET_READ,1)); show(prctl(PR_CAPBSET_READ,99)); show(prctl(PR_MCE_KILL_GET,0,0,0,0));
 show(prctl(12345,0,0,0,0)); show(prctl(PR_SET_NAME,8)); show(prctl(PR_GET_NAME,8));
 show(personality(0xffffffff)); show(personality(ADDR_NO_RANDOMIZE)); show(personality(0xffffffff));
 // the thread that made the process counts as its parent
 int pp[2]; pipe(pp);
 pid_t p=fork();
 if(!p){ pid_t c=fork(); if(!c){ signal(SIGUSR1,onsig); prctl(PR_SET_PDEATHSIG,SIGUSR1); write(pp[1],"x",1); pause(); _exit(0);} char x; read(pp[0],&x,1); _exit(0);} 
 int st; show(waitpid(p,&st,0)==p); show(wait(&st)>0); // the orphan is ours
 show(WEXITSTATUS(st));
}

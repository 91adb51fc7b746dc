# Goes on until no inferior is left, in whichever there is.
import gdb

while True:
    live = [i for i in gdb.inferiors() if i.pid]
    if not live:
        break
    if not gdb.selected_inferior().pid:
        gdb.execute("inferior %d" % live[0].num)
    gdb.execute("continue")
print("all ended")

package syscalls

import "golang.org/x/sys/unix"

// sysAdmin is CAP_SYS_ADMIN in the first word of a set of capabilities(7).
const sysAdmin = 1 << unix.CAP_SYS_ADMIN

// capabilities returns the first words of the host thread's sets.
func capabilities() unix.CapUserData {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	unix.Capget(&header, &sets[0]) // else there are none
	return sets[0]
}

// setCapabilities changes them.
func setCapabilities(change func(*unix.CapUserData)) error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if err := unix.Capget(&header, &sets[0]); err != nil {
		return err
	}
	change(&sets[0])
	return unix.Capset(&header, &sets[0])
}

// lend has the program that the process executes keep CAP_SYS_ADMIN, if it would lose it: it
// needs it to make the namespace that this one has asked for. undo takes that back.
func (c *childrensNamespaces) lend() (lent bool, undo func()) {
	if !c.pid || unix.Geteuid() == 0 || capabilities().Permitted&sysAdmin == 0 {
		return false, func() {}
	}
	before := capabilities().Inheritable & sysAdmin
	setCapabilities(func(c *unix.CapUserData) { c.Inheritable |= sysAdmin })
	lent = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, unix.CAP_SYS_ADMIN, 0, 0) == nil
	return lent, func() {
		unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_LOWER, unix.CAP_SYS_ADMIN, 0, 0)
		setCapabilities(func(c *unix.CapUserData) { c.Inheritable = c.Inheritable&^sysAdmin | before })
	}
}

// borrow is for the program that has got it. Its children do not get it.
func (c *childrensNamespaces) borrow() {
	c.lent = true
	unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_LOWER, unix.CAP_SYS_ADMIN, 0, 0)
	setCapabilities(func(c *unix.CapUserData) { c.Inheritable &^= sysAdmin })
}

// giveBack ends that.
func (c *childrensNamespaces) giveBack() {
	if !c.lent {
		return
	}
	c.lent = false
	setCapabilities(func(c *unix.CapUserData) {
		c.Effective &^= sysAdmin
		c.Permitted &^= sysAdmin
	})
}

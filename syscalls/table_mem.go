package syscalls

import "golang.org/x/sys/unix"

// memRows: the address space.
func memRows() []Row {
	return []Row{
		emul(214, "brk", sysBrk, "", Addr).returns(Addr),
		emul(215, "munmap", sysMunmap, "only what the guest mapped", Addr, Size).ofMappings(),
		emul(216, "mremap", sysMremap, "only what the guest mapped", Addr, Size, Size, MremapFlags, Addr).returns(Addr).ofMappings(),
		emul(222, "mmap", sysMmap, "MAP_FIXED over emu's own memory fails with ENOMEM; PROT_EXEC is never given to the host", Addr, Size, MmapProt, MmapFlags, FD, Offset).returns(Addr),
		emul(226, "mprotect", sysMprotect, "", Addr, Size, MmapProt).ofMappings(),
		pass(227, "msync", unix.SYS_MSYNC, Addr, Size, MsyncFlags).within(0, unix.ENOMEM).ofMappings(),
		conv(228, "mlock", unix.SYS_MLOCK, sysMlock, "only what the guest mapped", Addr, Size).ofMappings().leavesExecve(),
		conv(229, "munlock", unix.SYS_MUNLOCK, sysMlock, "only what the guest mapped", Addr, Size).ofMappings(),
		conv(284, "mlock2", unix.SYS_MLOCK2, sysMlock, "only what the guest mapped", Addr, Size, MlockFlags).ofMappings().leavesExecve(),
		emul(230, "mlockall", sysMlockall, "the guest's mappings, one by one", MlockallFlags).leavesExecve(),
		emul(231, "munlockall", sysMunlockall, "as mlockall"),
		emul(232, "mincore", sysMincore, "only what the guest mapped", Addr, Size, Addr).ofMappings(),
		emul(233, "madvise", sysMadvise, "only what the guest mapped; advice for fork is kept by the host", Addr, Size, MadviseAdvice).ofMappings(),
		pass(440, "process_madvise", unix.SYS_PROCESS_MADVISE, FD, Addr, Int, MadviseAdvice, Hex).inside(insideProcessMadvise),
		emul(234, "remap_file_pages", sysRemapFilePages, "as the kernel does it since 4.0: by a new mapping", Addr, Size, MmapProt, Size, MmapFlags),
		conv(235, "mbind", unix.SYS_MBIND, sysMbind, "only what the guest mapped", Addr, Size, Int, Addr, Uint, Hex).numbers(0).inside(insideMasks([2]int{3, 4})).ofMappings(),
		pass(236, "get_mempolicy", unix.SYS_GET_MEMPOLICY, Addr, Addr, Uint, Addr, Hex).at(0, 4).numbers(3).inside(insideMasks([2]int{1, 2})),
		pass(237, "set_mempolicy", unix.SYS_SET_MEMPOLICY, Int, Addr, Uint).isInherited().inside(insideMasks([2]int{1, 2})),
		pass(450, "set_mempolicy_home_node", unix.SYS_SET_MEMPOLICY_HOME_NODE, Addr, Size, Uint, Hex).numbers(0).ofMappings(),
		pass(238, "migrate_pages", unix.SYS_MIGRATE_PAGES, PID, Uint, Addr, Addr).inside(insideMasks([2]int{2, 1}, [2]int{3, 1})),
		pass(239, "move_pages", unix.SYS_MOVE_PAGES, PID, Size, Addr, Addr, Addr, Hex).counted(2, 1, 8).counted(3, 1, 4).counted(4, 1, 4),
		emul(288, "pkey_mprotect", sysPkeyMprotect, "key -1 only: arm64 before FEAT_S1POE has no keys", Addr, Size, MmapProt, Int).ofMappings(),
		refuse(289, "pkey_alloc", unix.ENOSPC, "arm64 before FEAT_S1POE has no keys", Hex, Hex),
		refuse(290, "pkey_free", unix.EINVAL, "arm64 before FEAT_S1POE has no keys", Int),
		emul(453, "map_shadow_stack", sysMapShadowStack, "an address can be chosen in 4 TiB from 0x580000000000 on only", Addr, Size, Hex).returns(Addr),
		emul(462, "mseal", sysMseal, "kept for the guest: emu itself goes on guarding code there", Addr, Size, Hex).ofMappings(),
		pass(270, "process_vm_readv", unix.SYS_PROCESS_VM_READV, PID, IovecOut, Int, Addr, Int, Hex).inside(insideRemote),
		pass(271, "process_vm_writev", unix.SYS_PROCESS_VM_WRITEV, PID, IovecIn, Int, Addr, Int, Hex).inside(insideRemote),
		pass(448, "process_mrelease", unix.SYS_PROCESS_MRELEASE, FD, Hex),
		direct(283, "membarrier", unix.SYS_MEMBARRIER, MembarrierCmd, Hex, Int),
	}
}

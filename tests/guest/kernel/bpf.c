// bpf(2): maps, and a program that filters a socket.
#include "../syscalls/check.h"
#include <linux/bpf.h>

static long bpf(int cmd, union bpf_attr *a, size_t n) { return syscall(SYS_bpf, cmd, a, n); }

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	union bpf_attr a = {.map_type = BPF_MAP_TYPE_HASH, .key_size = 4, .value_size = 8, .max_entries = 3};
	int map = bpf(BPF_MAP_CREATE, &a, sizeof a);
	if (map < 0) { printf("SKIP bpf: %s\n", strerrorname_np(errno)); return 0; }
	ok(fcntl(map, F_GETFD) == FD_CLOEXEC);
	uint32_t key;
	uint64_t value;
	for (key = 0; key < 4; key++) {
		value = 100 + key;
		memset(&a, 0, sizeof a);
		a.map_fd = map, a.key = (uintptr_t)&key, a.value = (uintptr_t)&value;
		show(bpf(BPF_MAP_UPDATE_ELEM, &a, sizeof a));
	}
	key = 2, value = 0;
	show(bpf(BPF_MAP_LOOKUP_ELEM, &a, sizeof a));
	printf("%ld\n", (long)value);
	show(bpf(BPF_MAP_DELETE_ELEM, &a, sizeof a));
	show(bpf(BPF_MAP_LOOKUP_ELEM, &a, sizeof a));
	uint32_t sum = 0, n = 0, next;
	a.key = 0, a.next_key = (uintptr_t)&next;
	while (!bpf(BPF_MAP_GET_NEXT_KEY, &a, sizeof a)) { sum += next, n++, key = next, a.key = (uintptr_t)&key; }
	printf("%d keys, sum %d\n", n, sum);
	a.key = 8;
	show(bpf(BPF_MAP_LOOKUP_ELEM, &a, sizeof a));
	show(bpf(BPF_MAP_LOOKUP_ELEM, (void *)8, sizeof a));
	struct bpf_map_info info = {0};
	memset(&a, 0, sizeof a);
	a.info.bpf_fd = map, a.info.info_len = sizeof info, a.info.info = (uintptr_t)&info;
	show(bpf(BPF_OBJ_GET_INFO_BY_FD, &a, sizeof a));
	printf("%d %d %d %d\n", info.type, info.key_size, info.value_size, info.max_entries);

	// r0 = length of the packet, but at most 3
	struct bpf_insn code[] = {
		{0xb7, 0, 0, 0, 3}, // mov r0, 3
		{0x95},             // exit
	};
	char log[1000] = {0};
	memset(&a, 0, sizeof a);
	a.prog_type = BPF_PROG_TYPE_SOCKET_FILTER, a.insns = (uintptr_t)code, a.insn_cnt = 2, a.license = (uintptr_t)"GPL";
	a.log_buf = (uintptr_t)log, a.log_size = sizeof log, a.log_level = 1;
	int prog = bpf(BPF_PROG_LOAD, &a, sizeof a);
	ok(prog >= 0);
	ok(strstr(log, "processed 2 insns") != 0);
	int s[2];
	socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
	show(setsockopt(s[1], SOL_SOCKET, SO_ATTACH_BPF, &prog, sizeof prog));
	char buf[20] = {0};
	write(s[0], "abcdef", 6);
	show(read(s[1], buf, sizeof buf));
	puts(buf);
	code[1].code = 0x05; // a jump to itself and beyond
	show(bpf(BPF_PROG_LOAD, &a, sizeof a));
	ok(strlen(log) > 0);
	a.insns = 8;
	show(bpf(BPF_PROG_LOAD, &a, sizeof a));
	show(bpf(9999, &a, sizeof a));
}

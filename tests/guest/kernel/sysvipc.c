// System V message queues, semaphores and shared memory: every field of their structures.
#include "../syscalls/check.h"
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

union semun { int val; struct semid_ds *buf; unsigned short *array; struct seminfo *info; };
static int recent(time_t t) { return labs(t - time(0)) < 100; }

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	key_t key = 0x656d7500 + getpid();
	int id = msgget(key, IPC_CREAT | IPC_EXCL | 0620);
	if (id < 0) { printf("SKIP System V IPC: %s\n", strerrorname_np(errno)); return 0; }
	show(msgget(key, IPC_CREAT | IPC_EXCL | 0620));
	ok(msgget(key, 0) == id);
	struct { long type; char text[64]; } m = {5, "hello"};
	show(msgsnd(id, &m, 6, 0));
	m.type = 2;
	show(msgsnd(id, &m, 10, 0));
	struct msqid_ds q;
	show(msgctl(id, IPC_STAT, &q));
	printf("key %d mode %o qnum %ld cbytes %ld lspid %d lrpid %d\n", q.msg_perm.__key == key, q.msg_perm.mode, (long)q.msg_qnum, (long)q.__msg_cbytes, q.msg_lspid == getpid(), q.msg_lrpid);
	ok(recent(q.msg_stime) && recent(q.msg_ctime) && q.msg_rtime == 0 && q.msg_qbytes > 1000);
	ok(q.msg_perm.uid == getuid() && q.msg_perm.cgid == getgid());
	show(msgrcv(id, &m, 64, -3, 0));
	show(msgrcv(id, &m, 2, 0, 0));
	show(msgrcv(id, &m, 2, 0, MSG_NOERROR));
	show(msgrcv(id, &m, 2, 0, IPC_NOWAIT));
	q.msg_perm.mode = 0640, q.msg_qbytes = 4096;
	show(msgctl(id, IPC_SET, &q));
	show(msgctl(id, IPC_STAT, &q));
	printf("%o %ld %d\n", q.msg_perm.mode, (long)q.msg_qbytes, q.msg_lrpid == getpid());
	struct msginfo mi;
	show(msgctl(id, IPC_INFO, (void *)&mi) >= 0);
	ok(mi.msgmax > 0 && mi.msgmnb > 0);
	ok(msgctl(id, MSG_INFO, (void *)&mi) >= 0 && mi.msgpool >= 1);
	show(msgctl(id, IPC_STAT, (void *)8));
	show(msgsnd(id, (void *)8, 10, 0));
	show(msgsnd(id, &m, -1, 0));
	m.type = 0;
	show(msgsnd(id, &m, 1, 0));
	show(msgctl(id, IPC_RMID, 0));
	show(msgctl(id, IPC_STAT, &q));

	id = semget(key, 4, IPC_CREAT | IPC_EXCL | 0600);
	unsigned short all[4] = {1, 2, 3, 4};
	show(semctl(id, 0, SETALL, (union semun){.array = all}));
	memset(all, 0, sizeof all);
	show(semctl(id, 0, GETALL, (union semun){.array = all}));
	printf("%d %d %d %d\n", all[0], all[1], all[2], all[3]);
	show(semctl(id, 2, GETVAL));
	ok(semctl(id, 2, GETPID) == getpid());
	show(semctl(id, 2, GETNCNT));
	struct sembuf ops[2] = {{0, -1, SEM_UNDO}, {1, 5, 0}};
	show(semop(id, ops, 2));
	struct semid_ds s;
	show(semctl(id, 0, IPC_STAT, (union semun){.buf = &s}));
	ok(recent(s.sem_otime) && recent(s.sem_ctime) && s.sem_nsems == 4 && s.sem_perm.__key == key);
	if (!fork()) { struct sembuf o = {3, -4, SEM_UNDO}; _exit(semop(id, &o, 1)); }
	wait(0);
	show(semctl(id, 3, GETVAL)); // undone
	struct seminfo si;
	ok(semctl(id, 0, IPC_INFO, (union semun){.info = &si}) >= 0 && si.semmsl > 0);
	ok(semctl(id, 0, SEM_INFO, (union semun){.info = &si}) >= 0 && si.semusz >= 1);
	show(semctl(id, 0, GETALL, (union semun){.array = (void *)8}));
	show(semctl(id, 0, IPC_STAT, (union semun){.buf = (void *)8}));
	show(semop(id, (void *)8, 1));
	show(semop(id, ops, 0));
	ops[0].sem_num = 9;
	show(semop(id, ops, 1));
	show(semctl(id, 0, IPC_RMID));

	id = shmget(key, 10000, IPC_CREAT | IPC_EXCL | 0600);
	char *p = shmat(id, 0, 0);
	struct shmid_ds h;
	show(shmctl(id, IPC_STAT, &h));
	printf("segsz %ld nattch %ld cpid %d lpid %d mode %o\n", (long)h.shm_segsz, (long)h.shm_nattch, h.shm_cpid == getpid(), h.shm_lpid == getpid(), h.shm_perm.mode);
	ok(recent(h.shm_atime) && h.shm_dtime == 0 && recent(h.shm_ctime));
	h.shm_perm.mode = 0644;
	show(shmctl(id, IPC_SET, &h));
	show(shmctl(id, SHM_LOCK, 0));
	show(shmctl(id, IPC_STAT, &h));
	printf("%o\n", h.shm_perm.mode);
	struct shminfo hi;
	ok(shmctl(id, IPC_INFO, (void *)&hi) >= 0 && hi.shmmax > 10000);
	struct shm_info hu;
	ok(shmctl(id, SHM_INFO, (void *)&hu) >= 0 && hu.used_ids >= 1);
	show(shmctl(id, IPC_STAT, (void *)8));
	strcpy(p, "parent");
	if (!fork()) { strcpy(p, "child"); _exit(shmdt(p)); }
	wait(0);
	puts(p);
	show(shmctl(id, IPC_RMID, 0));
	show(shmctl(id, IPC_STAT, &h)); // attached still
	printf("%o\n", h.shm_perm.mode);
	// At a place of one's own, over a mapping with SHM_REMAP, rounded with SHM_RND.
	char *room = mmap(0, 16 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	show(shmat(id, room, 0));
	ok(shmat(id, room, SHM_REMAP) == room);
	munmap(room + 8 * 4096, 8 * 4096);
	ok(shmat(id, room + 8 * 4096 + 100, SHM_RND) == room + 8 * 4096);
	show(shmat(id, room + 12 * 4096 + 100, 0));
	puts(room + 8 * 4096);
	show(shmdt(room));
	show(shmdt(room + 8 * 4096));
	show(shmdt(p));
	show(shmdt(p));
	show(shmat(id, 0, 0));
}

// SM3 and SM4 made of their A64 instructions, on the published vectors of GB/T
// 32905-2016 and GB/T 32907-2016. Prints the digests and ciphertexts.

#include <arm_neon.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32x4_t load(const uint8_t *p) { return vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(p))); }

// reverse puts the first word into the last lane, where the instructions have it.
static uint32x4_t reverse(uint32x4_t v) { v = vrev64q_u32(v); return vextq_u32(v, v, 2); }

#define STEP(ab, lane) do { \
		uint32x4_t ss1 = vsm3ss1q_u32(abcd, t, efgh); \
		abcd = vsm3tt1##ab##q_u32(abcd, ss1, mixed, lane); \
		efgh = vsm3tt2##ab##q_u32(efgh, ss1, w[0], lane); \
		t = vsriq_n_u32(vshlq_n_u32(t, 1), t, 31); \
	} while (0)

#define FOUR(ab) do { \
		uint32x4_t mixed = veorq_u32(w[0], w[1]); \
		STEP(ab, 0); STEP(ab, 1); STEP(ab, 2); STEP(ab, 3); \
		uint32x4_t next = vsm3partw1q_u32(vextq_u32(w[1], w[2], 3), w[0], w[3]); \
		next = vsm3partw2q_u32(next, vextq_u32(w[2], w[3], 2), vextq_u32(w[0], w[1], 3)); \
		w[0] = w[1], w[1] = w[2], w[2] = w[3], w[3] = next; \
	} while (0)

static void sm3_block(uint32x4_t state[2], const uint8_t *block)
{
	uint32x4_t w[4], abcd = state[0], efgh = state[1];
	for (int i = 0; i < 4; i++)
		w[i] = load(block + 16 * i);
	uint32x4_t t = vsetq_lane_u32(0x79cc4519, vdupq_n_u32(0), 3);
	for (int i = 0; i < 4; i++)
		FOUR(a);
	// The constant of round j is turned by j: the second one starts at 16.
	t = vsetq_lane_u32(0x9d8a7a87, vdupq_n_u32(0), 3);
	for (int i = 0; i < 12; i++)
		FOUR(b);
	state[0] = veorq_u32(state[0], abcd);
	state[1] = veorq_u32(state[1], efgh);
}

static void sm3(const char *name, const uint8_t *data, size_t n)
{
	static const uint32_t iv[8] = {0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e};
	uint32x4_t state[2] = {reverse(vld1q_u32(iv)), reverse(vld1q_u32(iv + 4))};
	uint8_t last[128] = {0};
	size_t whole = n / 64 * 64, rest = n - whole, padded = rest < 56 ? 64 : 128;
	for (size_t i = 0; i < whole; i += 64)
		sm3_block(state, data + i);
	memcpy(last, data + whole, rest);
	last[rest] = 0x80;
	for (int i = 0; i < 8; i++)
		last[padded - 1 - i] = (uint64_t)n * 8 >> (8 * i);
	for (size_t i = 0; i < padded; i += 64)
		sm3_block(state, last + i);
	uint32_t out[8];
	vst1q_u32(out, reverse(state[0]));
	vst1q_u32(out + 4, reverse(state[1]));
	printf("%s ", name);
	for (int i = 0; i < 8; i++)
		printf("%08x", out[i]);
	printf("\n");
}

struct sm4_key { uint32x4_t round[8]; };

static void sm4_expand(struct sm4_key *k, const uint8_t *key)
{
	static const uint32_t fk[4] = {0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc};
	uint32x4_t v = veorq_u32(load(key), vld1q_u32(fk));
	for (int i = 0; i < 8; i++) {
		uint32_t ck[4];
		for (int j = 0; j < 4; j++) {
			ck[j] = 0;
			for (int b = 0; b < 4; b++)
				ck[j] = ck[j] << 8 | (uint8_t)((16 * i + 4 * j + b) * 7);
		}
		v = k->round[i] = vsm4ekeyq_u32(v, vld1q_u32(ck));
	}
}

static uint32x4_t sm4(const struct sm4_key *k, uint32x4_t v, int decrypt)
{
	for (int i = 0; i < 8; i++)
		v = vsm4eq_u32(v, decrypt ? reverse(k->round[7 - i]) : k->round[i]);
	return reverse(v);
}

static void print(const char *name, uint32x4_t v)
{
	printf("%s %08x%08x%08x%08x\n", name, vgetq_lane_u32(v, 0), vgetq_lane_u32(v, 1), vgetq_lane_u32(v, 2), vgetq_lane_u32(v, 3));
}

int main(void)
{
	static uint8_t text[64], million[1000000];
	for (int i = 0; i < 64; i++)
		text[i] = 'a' + i % 4;
	memset(million, 'a', sizeof million);
	sm3("sm3-abc", text, 3);
	sm3("sm3-abcd-16", text, 64);
	sm3("sm3-million-a", million, sizeof million);

	static const uint8_t key[16] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10};
	struct sm4_key k;
	sm4_expand(&k, key);
	uint32x4_t v = sm4(&k, load(key), 0);
	print("sm4", v);
	print("sm4-decrypted", sm4(&k, v, 1));
	v = load(key);
	for (int i = 0; i < 1000000; i++)
		v = sm4(&k, v, 0);
	print("sm4-million", v);
	return 0;
}

package tests

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding/hex"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"emu/tests/need"
)

// Cryptography through whole programs: Debian's openssl for arm64, which picks its
// code by the processor's features, on vectors that NIST published and against Go's
// own; SM3 and SM4, which that openssl does not have instructions for, made of them in
// a guest program.

// cryptoCPUs are processors that openssl takes different code for: with SHA-3 and
// SHA-512, with AES and SHA-2 only, with NEON only.
var cryptoCPUs = []string{"max", "cortex-a72", "cortex-a72,aes=off,sha1=off,pmull=off"}

// openssl runs openssl under an emulator and returns its output.
func openssl(t *testing.T, emulator []string, in []byte, args ...string) []byte {
	t.Helper()
	root := debian(t)
	cmd := exec.Command(emulator[0], append(append(emulator[1:], "-L", root, filepath.Join(root, "usr/bin/openssl")), args...)...)
	cmd.Stdin = bytes.NewReader(in)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, stderr.Bytes())
	}
	return out
}

// NIST SP 800-38A, F.1, F.2 and F.5; FIPS 197, appendix C; GCM: CAVS
// gcmEncryptExtIV128, without plaintext; GB/T 32905-2016 and GB/T 32907-2016.
var cryptoVectors = []struct {
	args, in, want string // in and want are hexadecimal
}{
	{"enc -aes-128-ecb -nopad -K 000102030405060708090a0b0c0d0e0f",
		"00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a"},
	{"enc -aes-192-ecb -nopad -K 000102030405060708090a0b0c0d0e0f1011121314151617",
		"00112233445566778899aabbccddeeff", "dda97ca4864cdfe06eaf70a0ec0d7191"},
	{"enc -aes-256-ecb -nopad -K 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
		"00112233445566778899aabbccddeeff", "8ea2b7ca516745bfeafc49904b496089"},
	{"enc -aes-128-cbc -nopad -K 2b7e151628aed2a6abf7158809cf4f3c -iv 000102030405060708090a0b0c0d0e0f", nistText,
		"7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b273bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"},
	{"enc -aes-128-ctr -nopad -K 2b7e151628aed2a6abf7158809cf4f3c -iv f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", nistText,
		"874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"},
	{"dgst -sha1 -binary", "616263", "a9993e364706816aba3e25717850c26c9cd0d89d"},
	{"dgst -sha256 -binary", "616263", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
	{"dgst -sha3-256 -binary", "616263", "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"},
	{"dgst -sm3 -binary", "616263", "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0"},
	{"enc -sm4-ecb -nopad -K 0123456789abcdeffedcba9876543210",
		"0123456789abcdeffedcba9876543210", "681edf34d206965e86b3e94f536e4246"},
	{"mac -binary -cipher AES-128-GCM -macopt hexkey:77be63708971c4e240d1cb79e8d77feb -macopt hexiv:e0e00f19fed7ba0136a797f3 -in - GMAC",
		"7a43ec1d9c0a5a78a0b16533a6213cab", "209fcc8d3675ed938e9c7166709dd946"},
}

const nistText = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"

func TestPublishedCryptoVectors(t *testing.T) {
	t.Parallel() // busy for long, on one processor
	emu := emuPath(t)
	for _, cpu := range cryptoCPUs {
		for _, v := range cryptoVectors {
			in, err := hex.DecodeString(v.in)
			if err != nil {
				t.Fatal(err)
			}
			if got := hex.EncodeToString(openssl(t, []string{emu, "-cpu", cpu}, in, strings.Fields(v.args)...)); got != v.want {
				t.Errorf("-cpu %s: openssl %s: %s, want %s", cpu, v.args, got, v.want)
			}
		}
	}
}

// Data long enough for the unrolled loops, with an odd end, in both tiers.
func TestBulkCrypto(t *testing.T) {
	t.Parallel() // busy for long, on one processor
	data := make([]byte, 300_001)
	rand.NewChaCha8([32]byte{7}).Read(data)
	key, iv := data[100:132], data[200:216]
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	ctr := make([]byte, len(data))
	cipher.NewCTR(block, iv).XORKeyStream(ctr, data)
	whole := data[:len(data)&^15]
	cbc := make([]byte, len(whole))
	cipher.NewCBCEncrypter(block, iv).CryptBlocks(cbc, whole)
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	h1, h256, h512, k256 := sha1.Sum(data), sha256.Sum256(data), sha512.Sum512(data), sha3.Sum256(data)
	withKey := func(name string, more ...string) []string {
		return append([]string{"enc", "-" + name, "-K", hex.EncodeToString(key), "-iv", hex.EncodeToString(iv)}, more...)
	}
	tests := []struct {
		in, want []byte
		args     []string
	}{
		{data, h1[:], []string{"dgst", "-sha1", "-binary"}},
		{data, h256[:], []string{"dgst", "-sha256", "-binary"}},
		{data, h512[:], []string{"dgst", "-sha512", "-binary"}},
		{data, k256[:], []string{"dgst", "-sha3-256", "-binary"}},
		{data, ctr, withKey("aes-256-ctr")},
		{whole, cbc, withKey("aes-256-cbc", "-nopad")},
		{cbc, whole, withKey("aes-256-cbc", "-nopad", "-d")},
		{data, gcm.Seal(nil, iv[:12], nil, data), []string{"mac", "-binary", "-cipher", "AES-256-GCM",
			"-macopt", "hexkey:" + hex.EncodeToString(key), "-macopt", "hexiv:" + hex.EncodeToString(iv[:12]), "-in", "-", "GMAC"}},
	}
	emu := emuPath(t)
	for _, tier := range []string{"-tier=1", "-tier=2"} {
		for _, cpu := range cryptoCPUs {
			for _, test := range tests {
				if got := openssl(t, []string{emu, tier, "-cpu", cpu}, test.in, test.args...); !bytes.Equal(got, test.want) {
					t.Errorf("%s -cpu %s: openssl %v differs", tier, cpu, test.args)
				}
			}
		}
	}
}

// AES-GCM as a whole: what openssl encrypts under emu it decrypts under
// qemu-aarch64, and the other way round.
func TestGCMMessages(t *testing.T) {
	qemu := []string{need.Tool(t, "qemu-aarch64", "qemu-user")}
	data := make([]byte, 100_003)
	rand.NewChaCha8([32]byte{8}).Read(data)
	secret := []string{"-binary", "-secretkey", strings.Repeat("5a", 32), "-secretkeyid", "01"}
	for _, cpu := range cryptoCPUs {
		emu := []string{emuPath(t), "-cpu", cpu}
		for _, pair := range [2][2][]string{{emu, qemu}, {qemu, emu}} {
			message := openssl(t, pair[0], data, append([]string{"cms", "-encrypt", "-aes-256-gcm", "-outform", "DER"}, secret...)...)
			if got := openssl(t, pair[1], message, append([]string{"cms", "-decrypt", "-inform", "DER"}, secret...)...); !bytes.Equal(got, data) {
				t.Errorf("-cpu %s: a message that %s encrypted does not come back", cpu, pair[0][0])
			}
		}
	}
}

// GB/T 32905-2016, examples 1 and 2, and the digest of a million times "a"; GB/T
// 32907-2016, appendix A: one encryption and a million.
func TestSMInstructions(t *testing.T) {
	const want = `sm3-abc 66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0
sm3-abcd-16 debe9ff92275b8a138604889c18e5a4d6fdb70e5387e5765293dcba39c0c5732
sm3-million-a c8aaf89429554029e231941a2acc0ad61ff2a5acd8fadd25847a3a732b3b02c3
sm4 681edf34d206965e86b3e94f536e4246
sm4-decrypted 0123456789abcdeffedcba9876543210
sm4-million 595298c7c6fd271f0402f804c33d3f66
`
	guest := build(t, "guest/crypto/sm.c", arm64, "-march=armv8.4-a+sm4")
	for _, tier := range []string{"-tier=1", "-tier=2"} {
		out, err := exec.Command(emuPath(t), tier, guest).CombinedOutput()
		if err != nil || string(out) != want {
			t.Errorf("%s: %v\n%s", tier, err, out)
		}
	}
}

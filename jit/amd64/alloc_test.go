//go:build linux && amd64

package amd64_test

import (
	"testing"

	"emu/cpu"
	"emu/internal/softfp"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// TestEvictionEndsReservedValue: CAS needs RAX, which holds an operand of flags that are kept back. These
// are evicted to make room for it, and it is needed no more then: it was evicted all the same.
func TestEvictionEndsReservedValue(t *testing.T) {
	n := newBench(t)
	f := parse(t, `func 0x1000 size 60
block
  v2:i64 = getx #23
  v3:i64 = getx #0
  v4:flags = getnzcv
  v5:i1 = cond.lt v4
  v6:flags = subf v2, v3
  v7:flags = select v5, v6, flags:9
  setnzcv v7
  v10:i64 = getx #21
  v11:f64 = sitof v10, #0
  v12:v2f64 = vfrom v11
  v15:i1 = cond.eq v6
  v16:i1 = select v5, v15, i1:0
  if v16
    yield
  else
    v21:i32 = trunc v3
    v22:i1 = icmp.ne v21, i32:0
    if v22
      yield
    else
      v27:i64 = getx #31
      v28:f32 = load v27, 8
      v29:f32 = load v27, 12
      v30:v4f32 = vfrom v28
      v32:v4f32 = vfrom v29
      v35:i64 = getx #29
      v36:i64 = sbc v35, v10, v7
      v39:i8 = trunc v10
      v40:i64 = getx #30
      v41:i8 = trunc v40
      v42:i8 = cas v27, v39, v41
      v43:i64 = zext v42
      v45:v16i8 = getv #0
      v46:v16i8 = getv #1
      break #0, v36, v43, v45, v46, v11, v30, v32
    merge
    yield
  merge
  v54:v8i16 = getv #8
  v55:v8i16 = bitcast v12
  v56:v8i16 = vdupl v55, #5
  v57:v4i32 = umull v54, v56
  v58:v4i32 = getv #1
  v59:v4i32 = add v57, v58
  v61:i64 = getx #17
  v62:f16 = sitof v61, #18
  v63:v8f16 = vfrom v62
  v64:v16i8 = bitcast v63
  v65:v16i8 = bitcast v59
  v66:v16i8 = getv #20
  v67:v4f32 = bitcast v66
  v68:v16i8 = getv #29
  v69:v4f32 = bitcast v68
  yield v3, v10, v64, v65, v11, v67, v69
v73:i64, v74:i64, v75:v16i8, v76:v16i8, v77:f64, v78:v4f32, v79:v4f32 = merge
v108:f64 = getv #31
v109:flags = fcmpf v108, f64:0, #0
setnzcv v109
exit_arg.breakpoint #0x1038, 0x5a5a
`)
	for _, features := range []uint64{0, uint64(x64.Detect())} {
		if err := n.b.Compile(f, host.Options{Features: features, FPCR: cpu.FPCRWatched, Verify: true}, &n.code); err != nil {
			t.Error(err)
		}
	}
}

// TestLazySelectSparesCondition: storing flags that are kept back as one of two changes the host's flags, in
// which the condition of the JUMP_IF is that stores them.
func TestLazySelectSparesCondition(t *testing.T) {
	n := newBench(t)
	f := parse(t, `func 0x1000 size 56
v1:i64 = getx #31
v2:f32 = load v1, 24
v4:v4f32 = vfrom v2
v9:i64 = getx #0
v10:flags = subf v9, v9
setnzcv v10
v26:i64 = getx #3
store v26, v1, 8
v31:v2f64 = bitcast v4
v32:f64 = vget v31, #0
v33:i64 = ftoui.up v32, #0
v60:i1 = cond.lt v10
v61:flags = select v60, v10, flags:2
setnzcv v61
v64:i64 = getx #27
v65:i64 = sub v64, 1
v69:i1 = icmp.ne v65, 0
jump_if v69, #0x1000, #0x1038
`)
	for _, fpcr := range []uint32{0, cpu.FPCRWatched | softfp.FZ} {
		if err := n.b.Compile(f, host.Options{Features: uint64(x64.Detect()), FPCR: fpcr, Verify: true}, &n.code); err != nil {
			t.Error(err)
		}
	}
}

package amd64

import (
	"strings"

	"emu/ir"
	"emu/jit/asm/x64"
)

// lowerFn emits the code of instruction v, which is in.
type lowerFn func(c *compiler, v ir.Value, in ir.Inst)

// lowerTable has the lowering of every opcode: scalarOps, or vectorOps where the
// polymorphic operand is a vector, or the way through Go.
func lowerTable() (t [ir.NumOps]lowerFn) {
	for op := range ir.NumOps {
		loud := op.Loud()
		s, v := scalarOps[loud], vectorOps[loud]
		if s == nil {
			s = shapeOps[loud]
		}
		if v == nil {
			v = vectorIntOps[loud]
		}
		if s == nil {
			s = viaGo
		}
		if v == nil {
			v = viaGo
		}
		k := strings.IndexAny(op.Info().Args, "TF")
		if k < 0 {
			t[op] = s
			if vectorOps[op] != nil {
				panic("BUG: amd64: " + op.String() + " has no polymorphic operand: it belongs to scalarOps")
			}
			continue
		}
		t[op] = func(c *compiler, r ir.Value, in ir.Inst) {
			if c.f.TypeOf(in.Arg(k)).IsVec() {
				v(c, r, in)
				return
			}
			s(c, r, in)
		}
	}
	for op := range ir.NumOps {
		if lower := t[op]; op.Has(ir.SetsQC) {
			t[op] = func(c *compiler, r ir.Value, in ir.Inst) {
				c.clobber() // for saturates
				lower(c, r, in)
			}
		} else if loud := op.Loud(); loud != op {
			t[op] = func(c *compiler, r ir.Value, in ir.Inst) {
				lower(c, r, ir.MakeInst(loud, in.A(), in.B(), in.C()))
			}
		}
	}
	addFP(&t)
	return t
}

// scalarOps lowers scalars, control, memory, and everything that has no
// polymorphic operand.
var scalarOps = [ir.NumOps]lowerFn{
	ir.OpIf:       lowerIf,
	ir.OpElse:     lowerElse,
	ir.OpLoop:     lowerLoop,
	ir.OpBlock:    lowerBlock,
	ir.OpBlockArg: lowerBlockArg,
	ir.OpYield:    lowerYield,
	ir.OpBreak:    lowerBreak,
	ir.OpContinue: lowerContinue,
	ir.OpMerge:    lowerMerge,
	ir.OpEndBlock: lowerEndBlock,
	ir.OpDefExt:   lowerDefExt,
	ir.OpReturn:   lowerReturn,
	ir.OpInsn:     lowerInsn,
	ir.OpJump:     lowerJump,
	ir.OpJumpIf:   lowerJumpIf,
	ir.OpJumpInd:  lowerJumpInd,
	ir.OpCall:     lowerCall,
	ir.OpCallInd:  lowerCallInd,
	ir.OpRet:      lowerRet,
	ir.OpExit:     lowerExit,
	ir.OpExitArg:  lowerExitArg,
	ir.OpPoll:     lowerPoll,
	ir.OpPause:    lowerPause,

	ir.OpGetX:    lowerGetX,
	ir.OpSetX:    lowerSetX,
	ir.OpGetV:    lowerGetV,
	ir.OpSetV:    lowerSetV,
	ir.OpGetNZCV: lowerGetNZCV,
	ir.OpSetNZCV: lowerSetNZCV,
	ir.OpGetSys:  lowerGetSys,
	ir.OpSetSys:  lowerSetSys,
	ir.OpGetFPSR: lowerGetFPSR,
	ir.OpSetFPSR: lowerSetFPSR,

	ir.OpAdd:     lowerAdd,
	ir.OpSub:     lowerSub,
	ir.OpMul:     lowerMul,
	ir.OpAnd:     lowerAnd,
	ir.OpOr:      logic(x64.ORL),
	ir.OpXor:     logic(x64.XORL),
	ir.OpAndNot:  lowerAndNot,
	ir.OpOrNot:   lowerOrNot,
	ir.OpNot:     lowerNot,
	ir.OpNeg:     lowerNeg,
	ir.OpAbs:     lowerAbs,
	ir.OpShl:     lowerShl,
	ir.OpLShr:    lowerLShr,
	ir.OpAShr:    shift(x64.SARL, x64.SARXL),
	ir.OpRor:     lowerRor,
	ir.OpMulHiS:  lowerMulHi,
	ir.OpMulHiU:  lowerMulHi,
	ir.OpMulLS:   lowerMulLong,
	ir.OpMulLU:   lowerMulLong,
	ir.OpSDiv:    lowerDiv,
	ir.OpUDiv:    lowerDiv,
	ir.OpSRem:    lowerDiv,
	ir.OpURem:    lowerDiv,
	ir.OpClz:     lowerClz,
	ir.OpCls:     lowerCls,
	ir.OpCtz:     lowerCtz,
	ir.OpPopcnt:  lowerPopcnt,
	ir.OpRBit:    lowerRBit,
	ir.OpRev:     lowerRev,
	ir.OpExtr:    lowerExtr,
	ir.OpUbfx:    lowerUbfx,
	ir.OpSbfx:    lowerSbfx,
	ir.OpBfi:     lowerBfi,
	ir.OpSelect:  lowerSelect,
	ir.OpICmp:    lowerICmp,
	ir.OpSMin:    minmax(x64.LT),
	ir.OpSMax:    minmax(x64.GT),
	ir.OpUMin:    minmax(x64.B),
	ir.OpUMax:    minmax(x64.A),
	ir.OpTrunc:   lowerTrunc,
	ir.OpZext:    lowerZext,
	ir.OpSext:    lowerSext,
	ir.OpBitcast: lowerBitcast,
	ir.OpCrc32C:  lowerCrc32C,

	ir.OpAddF:     lowerAddF,
	ir.OpSubF:     lowerSubF,
	ir.OpAdc:      lowerAdc,
	ir.OpSbc:      lowerAdc,
	ir.OpAdcF:     lowerAdc,
	ir.OpSbcF:     lowerAdc,
	ir.OpNZ:       lowerNZ,
	ir.OpFlagCond: lowerFlagCond,
	ir.OpPackF:    lowerPackF,
	ir.OpUnpackF:  lowerUnpackF,

	ir.OpLoad:     lowerLoad,
	ir.OpLoadS:    lowerLoadS,
	ir.OpLoadA:    lowerLoad,
	ir.OpStore:    lowerStore,
	ir.OpStoreR:   lowerStoreR,
	ir.OpFence:    lowerFence,
	ir.OpPrefetch: lowerPrefetch,
	ir.OpRmwAdd:   lowerRmwAdd,
	ir.OpRmwClr:   lowerRmwLogic,
	ir.OpRmwEor:   lowerRmwLogic,
	ir.OpRmwSet:   lowerRmwLogic,
	ir.OpRmwSMax:  lowerRmwMinMax,
	ir.OpRmwSMin:  lowerRmwMinMax,
	ir.OpRmwUMax:  lowerRmwMinMax,
	ir.OpRmwUMin:  lowerRmwMinMax,
	ir.OpRmwSwp:   lowerRmwSwp,
	ir.OpCas:      lowerCas,
	ir.OpLoadEx:   lowerLoadEx,
	ir.OpStoreEx:  lowerStoreEx,
	ir.OpClrEx:    lowerClrEx,
	ir.OpMonitor:  lowerMonitor,
	ir.OpSet64:    lowerSet64,
	ir.OpSetChunk: lowerSetChunk,
	ir.OpGetChunk: lowerGetChunk,
	ir.OpCopyUp:   lowerCopyRun,
	ir.OpCopyDown: lowerCopyRun,
	ir.OpCopy:     lowerCopy,
	ir.OpCopy64:   lowerCopy64,
	ir.OpLoadP:    lowerLoadP,
	ir.OpStoreP:   lowerStoreP,
}

// vectorOps lowers the vector shapes of polymorphic opcodes (T and F operands).
var vectorOps = [ir.NumOps]lowerFn{}

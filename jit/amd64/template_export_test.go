package amd64

import "emu/decoder"

// TemplateOps are the encodings that may have a template.
func TemplateOps() (ops []decoder.Op) {
	for op, r := range templateTable() {
		if r.fn != nil {
			ops = append(ops, decoder.Op(op))
		}
	}
	return ops
}

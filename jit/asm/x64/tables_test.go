package x64

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestTables checks what the encoder assumes of every row.
func TestTables(t *testing.T) {
	for _, f := range forms() {
		c, name := f.enc, f.row.name
		if name != strings.ToLower(name) {
			t.Errorf("%s is not in lower case", name)
		}
		isVEX := c&schemeMask != 0
		if vector := c&(regClass|rmClass|vClass)&(gX|eX|hX) != 0 && c&regClass != gK && name[0] != 'k'; vector && isVEX != (name[0] == 'v') {
			t.Errorf("%s: name and encoding scheme disagree", name)
		}
		if isVEX && f.row.needs == 0 {
			t.Errorf("%s needs no feature", name)
		}
		if c&schemeMask == evex && !f.row.needs.Has(EVEX128) {
			t.Errorf("%s needs EVEX", name)
		}
		if !isVEX && c&(vClass|is4|nok|ev0) != 0 || c&schemeMask == evex && c&ev0 != 0 {
			t.Errorf("%s: fields of another encoding scheme", name)
		}
	}
	if VADDSD.Needs() != AVX || VADDSD.Mask(K1).Needs() != EVEX128 || PSHUFB.Needs() != SSSE3 || ADDQ.Needs() != 0 || VPADDD.Y().Needs() != AVX|AVX2 {
		t.Error("Needs")
	}
}

// TestRowPerConstant reads the sources: each instruction constant has the row
// at its index, in the family that its file names, and is listed in families.
func TestRowPerConstant(t *testing.T) {
	files, err := filepath.Glob("rows_*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no row files: ", err)
	}
	total := 0
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		var consts, keys []string
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GenDecl:
				if n.Tok == token.CONST {
					for _, s := range n.Specs {
						consts = append(consts, s.(*ast.ValueSpec).Names[0].Name)
					}
				}
			case *ast.KeyValueExpr:
				if k, ok := n.Key.(*ast.BinaryExpr); ok {
					keys = append(keys, k.X.(*ast.Ident).Name)
				}
			}
			return true
		})
		if a, b := strings.Join(consts, " "), strings.Join(keys, " "); a != b {
			t.Errorf("%s: constants and rows differ:\n%s\n%s", file, a, b)
		}
		total += len(consts)
	}
	rows := 0
	for _, f := range families {
		rows += len(f)
		if len(f) > 256 {
			t.Errorf("a family has %d rows", len(f))
		}
	}
	if rows != total {
		t.Errorf("%d constants, families hold %d rows", total, rows)
	}
	t.Logf("%d instructions", total)
}

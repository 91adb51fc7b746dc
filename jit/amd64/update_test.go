package amd64

import "flag"

var update = flag.Bool("update", false, "rewrite generated files")

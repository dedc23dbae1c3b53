// Package other asks for a method, and uses a function.
package other

import "github.com/outrank-go/outrank/internal/tests/structure/testdata/users/lib"

type runner interface{ Run() }

func use() { lib.Used() }

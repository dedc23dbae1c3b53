// Package other asks for a method, and uses a function.
package other

import "github.com/outrank-go/outrank/internal/structure/testdata/users/lib"

type runner interface{ Run() }

func use() { lib.Used() }

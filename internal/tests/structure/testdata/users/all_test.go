package users

import "github.com/outrank-go/outrank/internal/tests/structure/testdata/users/lib"

var every = []any{lib.Alone, lib.Used}

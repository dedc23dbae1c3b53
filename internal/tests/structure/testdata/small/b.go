package small

import "fmt"

// Other is used by a.go.
type Other struct{}

func one() int { return ends() }

// A field counts as a reference, too.
func text(o Outer) string { return fmt.Sprint(o.C) }

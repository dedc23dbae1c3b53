package small

type inner struct{ a, b int }

// Outer sees four fields.
type Outer struct {
	inner
	C int
	d *Other
}

// Sum uses a function of another file.
func (o *Outer) Sum() int { return o.a + o.b + o.C + one() }
func (o *Outer) hidden()  {}

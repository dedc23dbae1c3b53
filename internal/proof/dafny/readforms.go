package dafny

// This file reads the forms that bring names along, and if.

func (r *reader) conditional() expression {
	r.expect("if")
	c := r.expression()
	r.expect("then")
	then := r.expression()
	r.expect("else")
	return &conditional{c, then, r.expression()}
}

// matching reads match: a constructor, with names for its fields, in each case.
func (r *reader) matching() expression {
	r.expect("match")
	m := &match{of: r.expression(), place: r.place()}
	for r.skip("case") {
		known := len(r.scope)
		c := matchCase{constructor: r.next(), first: known}
		if _, ok := r.program.constructors[c.constructor]; !ok {
			r.fail("%s is no constructor", c.constructor)
		}
		if r.skip("(") {
			r.names(")")
		}
		r.expect("=>")
		c.body = r.expression()
		r.forget(known)
		m.cases = append(m.cases, c)
	}
	return m
}

// names reads names up to the end, and knows them from then on.
func (r *reader) names(end string) {
	for !r.skip(end) {
		r.know(r.next())
		r.skip(",")
	}
}

// letting reads var x := e; body, for several names at once, and for a tuple: var (x, y) := e; body.
func (r *reader) letting() expression {
	r.expect("var")
	known := len(r.scope)
	l := &let{first: known, place: r.place()}
	var names []string
	if r.skip("(") {
		l.tuple = true
		for !r.skip(")") {
			names = append(names, r.next())
			r.skip(",")
		}
		r.expect(":=")
	} else {
		for !r.skip(":=") {
			names = append(names, r.next())
			r.skip(",")
		}
	}

	// The names are known in the body alone.
	for !r.skip(";") {
		l.values = append(l.values, r.expression())
		r.skip(",")
	}
	for _, name := range names {
		r.know(name)
	}
	if !l.tuple && len(names) != len(l.values) {
		r.fail("%d names for %d values", len(names), len(l.values))
	}
	l.body = r.expression()
	r.forget(known)
	return l
}

// quantified reads forall x :: x in list ==> body, and exists x :: x in list && body. With several names it is one
// quantifier inside another.
func (r *reader) quantified(word string) expression {
	known := len(r.scope)
	first := &quantifier{all: word == "forall", slot: r.know(r.next()), place: r.place()}
	all := []*quantifier{first}
	for r.skip(",") {
		q := &quantifier{all: first.all, slot: r.know(r.next()), place: r.place()}
		all[len(all)-1].body = q
		all = append(all, q)
	}
	r.expect("::")
	body := r.expression()
	all[len(all)-1].body = body
	r.forget(known)

	condition := body
	if first.all {
		condition = nil
		if b, ok := body.(*binary); ok && b.op == "==>" {
			condition = b.left
		}
	}
	for _, q := range all {
		q.over = collectionOf(condition, q.slot)
	}
	return first
}

// comprehension reads set x | x in list && condition :: element.
func (r *reader) comprehension() expression {
	r.expect("set")
	known := len(r.scope)
	c := &comprehension{slot: r.know(r.next())}
	r.expect("|")
	c.condition = r.expression()
	if c.over = collectionOf(c.condition, c.slot); c.over == nil {
		r.fail("nothing says through which elements the set goes")
	}
	c.element = &variable{c.slot}
	if r.skip("::") {
		c.element = r.expression()
	}
	r.forget(known)
	return c
}

// collectionOf returns the collection that a condition says a variable is in: the condition, or a part of an and, is
// "x in collection". It is nil if there is none, which is an error once the elements are needed: what is only proven
// may speak of all values there are.
func collectionOf(condition expression, slot int) expression {
	b, ok := condition.(*binary)
	switch {
	case !ok:
		return nil
	case b.op == "&&":
		if c := collectionOf(b.left, slot); c != nil {
			return c
		}
		return collectionOf(b.right, slot)
	case b.op == "in":
		if v, ok := b.left.(*variable); ok && v.slot == slot {
			return b.right
		}
	}
	return nil
}

// beginsLambda reports whether x => e or (x: T) => e stands here.
func (r *reader) beginsLambda() bool {
	at := r.at
	if r.list[at].text == "(" {
		if at+2 >= len(r.list) || r.list[at+2].text != ":" {
			return false
		}
		for r.list[at].text != ")" && r.list[at].text != "" {
			at++
		}
	}
	return r.list[at].text != "" && r.list[at+1].text == "=>"
}

// lambda reads a function as a value.
func (r *reader) lambda() expression {
	known := len(r.scope)
	if r.peek() == "(" {
		for _, name := range r.parameters() {
			r.know(name)
		}
	} else {
		r.know(r.next())
	}
	r.expect("=>")
	l := &lambda{known: known, parameters: len(r.scope) - known, of: r.of}
	l.body = r.expression()
	r.forget(known)
	return l
}

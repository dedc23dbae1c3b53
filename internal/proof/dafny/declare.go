package dafny

import "slices"

// reader reads the tokens of one file.
type reader struct {
	program *Program
	file    string
	list    []token
	at      int
	// scope has the names that are known at this place; the place of a name is its slot in the frame.
	scope []string
	// of is the function whose body is read.
	of *function
}

// declarations are the words that a declaration begins with.
var declarations = []string{"include", "datatype", "type", "function", "predicate", "lemma", ""}

// declare reads the names of a file, and returns a reader for the body of each function.
func (p *Program) declare(f File) (bodies []*reader) {
	r := &reader{program: p, file: f.Name, list: tokens(f.Text)}
	for r.peek() != "" {
		switch word := r.next(); word {
		case "datatype":
			r.declareDatatype()
		case "function", "predicate":
			bodies = append(bodies, r.declareFunction())
		case "include", "type", "lemma":
			r.skipDeclaration()
		default:
			r.fail("%q does not begin a declaration", word)
		}
	}
	return bodies
}

// skipDeclaration goes on to the next declaration. No proof contains one of the words that begin one.
func (r *reader) skipDeclaration() {
	for !slices.Contains(declarations, r.peek()) {
		r.at++
	}
}

// declareDatatype reads the constructors of a datatype.
func (r *reader) declareDatatype() {
	r.next()
	r.expect("=")
	for {
		name := r.next()
		if _, twice := r.program.constructors[name]; twice {
			r.fail("there are two constructors %s", name)
		}
		r.program.constructors[name] = r.parameters()
		if !r.skip("|") {
			return
		}
	}
}

// declareFunction reads the name and the parameters of a function, and goes on behind its body.
func (r *reader) declareFunction() *reader {
	f := &function{name: r.next()}
	if r.program.functions[f.name] != nil {
		r.fail("there are two functions %s", f.name)
	}
	r.program.functions[f.name] = f
	if r.peek() == "<" {
		r.readTypes()
	}
	f.parameters = r.parameters()

	// What the function returns and promises holds no braces.
	for r.peek() != "{" {
		r.at++
	}
	body := *r
	body.of, body.scope = f, slices.Clone(f.parameters)
	r.skipDeclaration()
	return &body
}

// parameters reads names with their types, in parentheses; nil if there are none.
func (r *reader) parameters() (names []string) {
	if !r.skip("(") {
		return nil
	}
	for !r.skip(")") {
		names = append(names, r.next())
		r.expect(":")
		r.readType()
		r.skip(",")
	}
	return names
}

// readType goes behind a type.
func (r *reader) readType() {
	if r.skip("(") {
		for !r.skip(")") {
			r.readType()
			r.skip(",")
		}
	} else {
		r.next()
		if r.peek() == "<" {
			r.readTypes()
		}
	}
	if r.skip("->") {
		r.readType()
	}
}

// readTypes goes behind types in angle brackets.
func (r *reader) readTypes() {
	r.expect("<")
	for !r.skip(">") {
		r.readType()
		r.skip(",")
	}
}

// readBody reads the body of the function.
func (r *reader) readBody() {
	r.of.slots = len(r.scope)
	r.expect("{")
	r.of.body = r.expression()
	r.expect("}")
}

// peek returns the text of the next token, empty at the end.
func (r *reader) peek() string { return r.list[r.at].text }

// next returns the text of the next token and goes behind it.
func (r *reader) next() string {
	text := r.peek()
	if text == "" {
		r.fail("the file ends too early")
	}
	r.at++
	return text
}

// skip goes behind the next token if it is the given one.
func (r *reader) skip(text string) bool {
	if r.peek() != text {
		return false
	}
	r.at++
	return true
}

// expect goes behind the next token, which has to be the given one.
func (r *reader) expect(text string) {
	if !r.skip(text) {
		r.fail("%q stands where %q is expected", r.peek(), text)
	}
}

// fail ends the reading with an error at this place.
func (r *reader) fail(format string, args ...any) {
	fail("%s:%d: "+format, append([]any{r.file, r.list[r.at].line}, args...)...)
}

// know adds a name to those that are known, and returns its slot.
func (r *reader) know(name string) int {
	r.scope = append(r.scope, name)
	r.of.slots = max(r.of.slots, len(r.scope))
	return len(r.scope) - 1
}

// forget drops the last names, until so many are left.
func (r *reader) forget(left int) { r.scope = r.scope[:left] }

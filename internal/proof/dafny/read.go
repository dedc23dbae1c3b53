package dafny

import (
	"math/big"
	"slices"
	"strconv"
)

// binding lists the operators by how loosely they bind, the loosest first.
var binding = [][]string{
	{"<==>"},
	{"==>"},
	{"&&", "||"},
	{"==", "!=", "<", "<=", ">", ">=", "in", "!in", "!!"},
	{"+", "-"},
	{"*", "/", "%"},
}

// comparing and implying are places in binding.
const implying, comparing = 1, 3

// expression reads an expression.
func (r *reader) expression() expression {
	switch r.peek() {
	case "if":
		return r.conditional()
	case "match":
		return r.matching()
	case "var":
		return r.letting()
	case "forall", "exists":
		return r.quantified(r.next())
	case "set":
		return r.comprehension()
	}
	if r.beginsLambda() {
		return r.lambda()
	}
	return r.operators(0)
}

// operators reads operands with operators that bind at least so tightly.
func (r *reader) operators(level int) expression {
	if level == len(binding) {
		return r.converted()
	}

	first := r.operators(level + 1)
	if !slices.Contains(binding[level], r.peek()) {
		return first
	}
	switch level {
	case implying: // from the right
		r.next()
		return &binary{"==>", first, r.operand(level), r.place()}
	case comparing:
		return r.chain(first)
	}

	for slices.Contains(binding[level], r.peek()) {
		first = &binary{r.next(), first, r.operand(level + 1), r.place()}
	}
	return first
}

// operand reads what stands behind an operator. A quantifier or an if may stand there without parentheses.
func (r *reader) operand(level int) expression {
	if slices.Contains([]string{"if", "match", "forall", "exists", "set"}, r.peek()) {
		return r.expression()
	}
	return r.operators(level)
}

// chain reads comparisons, of which 0 <= i < n are two.
func (r *reader) chain(first expression) expression {
	var all expression
	for slices.Contains(binding[comparing], r.peek()) {
		op := r.next()
		second := r.operand(comparing + 1)
		var one expression = &binary{op, first, second, r.place()}
		if all != nil {
			one = &binary{"&&", all, one, r.place()}
		}
		all, first = one, second
	}
	return all
}

// converted reads an operand that may be converted to real.
func (r *reader) converted() expression {
	e := r.unary()
	for r.skip("as") {
		r.expect("real")
		e = &toReal{e, r.place()}
	}
	return e
}

func (r *reader) unary() expression {
	switch {
	case r.skip("!"):
		return &not{r.unary()}
	case r.skip("-"):
		return &binary{"-", &literal{Int(0)}, r.unary(), r.place()}
	}
	return r.suffixed(r.primary())
}

// primary reads the beginning of an operand.
func (r *reader) primary() expression {
	switch word := r.next(); {
	case word == "(":
		return r.inParentheses()
	case word == "[":
		return &display{r.listed("]"), func(vs []Value) Value { return Seq(vs) }}
	case word == "{":
		return &display{r.listed("}"), func(vs []Value) Value { return NewSet(vs...) }}
	case word == "|":
		e := r.expression()
		r.expect("|")
		return &length{e}
	case word == "map":
		r.expect("[")
		r.expect("]")
		return &literal{Map{}}
	case word == "true" || word == "false":
		return &literal{Bool(word == "true")}
	case isDigit(word[0]):
		return r.number(word)
	default:
		return r.named(word)
	}
}

// inParentheses reads an expression, or a tuple.
func (r *reader) inParentheses() expression {
	list := r.listed(")")
	if len(list) == 1 {
		return list[0]
	}
	return &display{list, func(vs []Value) Value { return &Data{Fields: vs} }}
}

// listed reads expressions up to the end.
func (r *reader) listed(end string) (list []expression) {
	for !r.skip(end) {
		list = append(list, r.expression())
		if r.peek() != end {
			r.expect(",")
		}
	}
	return list
}

func (r *reader) number(word string) expression {
	if i, err := strconv.ParseInt(word, 10, 64); err == nil {
		return &literal{Int(i)}
	}
	rat, ok := new(big.Rat).SetString(word)
	if !ok {
		r.fail("%q is no number", word)
	}
	return &literal{Real{rat}}
}

// named reads what a name stands for: a variable, a call or a constructor.
func (r *reader) named(name string) expression {
	for i := len(r.scope) - 1; i >= 0; i-- {
		if r.scope[i] == name {
			return &variable{i}
		}
	}
	if f := r.program.functions[name]; f != nil {
		r.expect("(")
		return &call{f, r.listed(")")}
	}

	fields, ok := r.program.constructors[name]
	if !ok {
		r.fail("%s is not known", name)
	}
	var values []expression
	if r.skip("(") {
		values = r.listed(")")
	}
	if len(values) != len(fields) {
		r.fail("%s has %d fields, not %d", name, len(fields), len(values))
	}
	return &display{values, func(vs []Value) Value { return &Data{Constructor: name, Fields: vs, names: fields} }}
}

// suffixed reads what stands behind an operand: fields, elements, parts and calls.
func (r *reader) suffixed(e expression) expression {
	for {
		switch {
		case r.skip("."):
			e = &field{e, r.next(), r.place()}
		case r.skip("("):
			e = &apply{e, r.listed(")")}
		case r.skip("["):
			e = r.indexed(e)
		default:
			return e
		}
	}
}

// indexed reads s[i], s[i..j], where both ends may be left out, and s[i := v].
func (r *reader) indexed(e expression) expression {
	var from, to expression
	if r.peek() != ".." {
		from = r.expression()
		switch {
		case r.skip("]"):
			return &element{e, from, r.place()}
		case r.skip(":="):
			to = r.expression()
			r.expect("]")
			return &update{e, from, to, r.place()}
		}
	}
	r.expect("..")
	if r.peek() != "]" {
		to = r.expression()
	}
	r.expect("]")
	return &part{e, from, to, r.place()}
}

// place says where the reader is, for errors of calls.
func (r *reader) place() place { return place{r.file, r.list[r.at-1].line} }

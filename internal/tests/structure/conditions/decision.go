package main

import "go/token"

// decision is a condition of the source whose evaluations are recorded.
type decision struct {
	// file is a path within the module, and folder that of its package.
	file, folder string
	line         int
	// function is the name of the function that contains the decision, with its receiver before a dot.
	function string
	// text is the source of the whole, without line breaks. operands has that of each operand.
	text     string
	operands []string
	// tree says how the operands are combined.
	tree *node
	// seen has the evaluations that took place, each once.
	seen []evaluation
}

// node is a part of a decision: an operand, or two parts that && or || combines, or a part behind !.
type node struct {
	// op is token.LAND, token.LOR or token.NOT; an operand has token.ILLEGAL.
	op          token.Token
	left, right *node
	operand     int
}

// evaluation says of each operand whether it was evaluated and what its value was, in two bits from the
// lowest on: 0 for an operand that was left out, 2 for false and 3 for true.
type evaluation uint64

// mostOperands is the number of operands that an evaluation has bits for.
const mostOperands = 32

// of returns the value of an operand, and whether it was evaluated.
func (e evaluation) of(operand int) (value, evaluated bool) {
	bits := e >> (2 * operand) & 3
	return bits == 3, bits != 0
}

// outcome is what became of a part of a decision in an evaluation.
type outcome struct {
	evaluated, value bool
	// follows is set if the value is that of the operand which was asked about: it was evaluated, and nothing
	// masked it. Behind ! it is the opposite value.
	follows bool
}

// outcome returns the outcome of n, and whether it followed the operand.
func (n *node) outcome(e evaluation, operand int) outcome {
	switch n.op {
	case token.ILLEGAL:
		value, evaluated := e.of(n.operand)
		return outcome{evaluated, value, evaluated && n.operand == operand}

	case token.NOT:
		o := n.left.outcome(e, operand)
		o.value = !o.value
		return o
	}

	// The right side runs only if the left one leaves the question open, and then the right one answers it.
	left, right := n.left.outcome(e, operand), n.right.outcome(e, operand)
	if !right.evaluated {
		return left
	}

	// The left side decided too if the right one did not change the value: true && true, false || false.
	right.follows = right.follows || left.follows && left.value == right.value
	return right
}

// shown reports whether the operand decided with the value in some evaluation.
func (d *decision) shown(operand int, value bool) bool {
	for _, e := range d.seen {
		if v, _ := e.of(operand); v == value && d.tree.outcome(e, operand).follows {
			return true
		}
	}
	return false
}

package exact

// Host asks the question. It follows which items are away, and answers about whole sets.
type Host interface {
	// Leave takes an item away, and Return puts it back.
	Leave(item int32)
	Return(item int32)
	// Fits reports whether there is room without the items that are away. Allows reports whether
	// everything but the columns agrees to that.
	Fits() bool
	Allows() bool
	// Score returns the score of a set, which is not empty.
	Score(set []bool) Score
	// Violating marks the items that have a part which violates a budget if all items leave.
	Violating(marks []bool)
	// Spared is given the set of all items that are away. By the host's own rule, one item after the other
	// stays that can, and is taken out of the set. The same items are away afterwards.
	Spared(set []bool)
}

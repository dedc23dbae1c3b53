package exact

// Host asks the question. It keeps track of which items are away, and answers questions about whole sets.
type Host interface {
	// Leave takes an item away, and Return puts it back.
	Leave(item int32)
	Return(item int32)
	// Fits reports whether there is room without the items that are away. Allows reports the same for
	// everything that has no column.
	Fits() bool
	Allows() bool
	// Score returns the score of a set, which is not empty.
	Score(set []bool) Score
	// Violating marks the items that have a part which violates a budget if all items leave.
	Violating(marks []bool)
	// Spared is given the set of all items that are away. It takes out of the set, one after another by the
	// host's own rule, each item that can stay. The same items are away afterwards as before.
	Spared(set []bool)
}

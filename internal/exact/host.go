package exact

// Host asks the questions. It follows which items are away, and answers about whole sets.
type Host interface {
	// Leave takes an item away, and Return puts it back.
	Leave(item int32)
	Return(item int32)
	// Fits reports whether there is room with the items gone that are away, and Allows whether
	// everything but the columns agrees.
	Fits() bool
	Allows() bool
	// Score returns the score of a set, which is not empty.
	Score(set []bool) Score
	// Violating marks the items that have a part which violates a budget if all items leave.
	Violating(marks []bool)
	// Spared takes out of a set, which has all items that are away, those that can stay one
	// after the other by the host's own rule. The same items are away afterwards.
	Spared(set []bool)
}

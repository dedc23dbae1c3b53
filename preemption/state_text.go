package preemption

// textOf returns a kind of object with the name of one, for errors.
func textOf[T ~string](kind string, name T) string {
	if name == "" {
		return kind + " without a name"
	}
	return kind + " " + string(name)
}

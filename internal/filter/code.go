package filter

// codes are kube-scheduler's names of the codes, by this library's words for them.
var codes = map[string]string{
	"": "Success", "unschedulable": "Unschedulable",
	"unschedulable-and-unresolvable": "UnschedulableAndUnresolvable", "contradiction": "Error",
}

// Code returns kube-scheduler's name of a code, as its messages and metrics have it; a word that
// is none stays as it is.
func Code[C ~string](c C) string {
	if name, ok := codes[string(c)]; ok {
		return name
	}
	return string(c)
}

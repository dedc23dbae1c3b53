package filter

// codes maps this library's words for the codes to kube-scheduler's names of them.
var codes = map[string]string{
	"": "Success", "unschedulable": "Unschedulable",
	"unschedulable-and-unresolvable": "UnschedulableAndUnresolvable", "contradiction": "Error",
}

// Code returns kube-scheduler's name of a code, as its messages and metrics have it. A word that is no code stays as it
// is.
func Code[C ~string](c C) string {
	if name, ok := codes[string(c)]; ok {
		return name
	}
	return string(c)
}

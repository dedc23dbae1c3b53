package filter

// codes maps the codes of this library to kube-scheduler's names for them.
var codes = map[string]string{
	"": "Success", "unschedulable": "Unschedulable",
	"unschedulable-and-unresolvable": "UnschedulableAndUnresolvable", "contradiction": "Error",
}

// Code returns kube-scheduler's name for a code, as in its messages and metrics. A word that is no code is
// returned as it is.
func Code[C ~string](c C) string {
	if name, ok := codes[string(c)]; ok {
		return name
	}
	return string(c)
}

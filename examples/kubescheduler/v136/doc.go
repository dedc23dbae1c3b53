// Package v136 compares outrank with kube-scheduler v1.36: the same harness as for the
// newest version (package differential of the module above), compiled with v1.36.3 by the
// replacements in go.mod. Package convert needs kinds of v1.37, so objects go to outrank
// as JSON here, the way a dump does.
package v136

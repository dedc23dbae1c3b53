package main

import "fmt"

// dumpCommand makes a dump with all that an answer may depend on.
const dumpCommand = "kubectl get nodes,pods,pdb,priorityclasses,namespaces,pv,pvc,sc,csinodes,csidrivers,quota -A -o json"

// theDump is the object of a caveat about the dump. Its text goes on from there as a sentence.
const theDump = "the dump"

// dumpLacks is a caveat about the dump.
func dumpLacks(format string, args ...any) Warning {
	return Warning{Object: theDump, Text: fmt.Sprintf(format, args...)}
}

package main

import "fmt"

// dumpCommand prints a dump with everything that an answer may depend on.
const dumpCommand = "kubectl get nodes,pods,pdb,priorityclasses,namespaces,pv,pvc,sc,csinodes,csidrivers,quota -A -o json"

// theDump is the object of a caveat about the dump. The text of the caveat completes it to a sentence.
const theDump = "the dump"

// dumpLacks returns a caveat about the dump.
func dumpLacks(format string, args ...any) Warning {
	return Warning{Object: theDump, Text: fmt.Sprintf(format, args...)}
}

package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The flags that change the cluster before anything is asked about it.
const (
	changeFile    = "filename"
	changeWithout = "without"
	changeAddNode = "add-node"
	changeClass   = "set-class"
	changeClasses = "priorityclass"
	changeBudget  = "set-budget"
	changeDelete  = "delete"
	changeResize  = "resize"
	changeAgain   = "recreate"
)

// flagged is a change as it stands on the command line: a flag with its values.
type flagged struct {
	flag   string
	values []string
}

// String returns the change as a command line has it, with the values in one list.
func (f *flagged) String() string {
	if f.flag == changeAgain {
		return "--recreate"
	}
	name := "--" + f.flag
	if f.flag == changeFile {
		name = "-f"
	}
	return name + " " + strings.Join(f.values, ",")
}

// mostValues is the most values of a change that a heading names.
const mostValues = 6

// short is String with no more than mostValues values.
func (f *flagged) short() string {
	if len(f.values) <= mostValues {
		return f.String()
	}
	few := flagged{f.flag, f.values[:mostValues]}
	return fmt.Sprintf("%s and %d more", few.String(), len(f.values)-mostValues)
}

// ordered is the value of a flag that makes changes. Values of the same flag that follow each other
// are one change. All manifests are one change, too, at the place of the first of them.
type ordered struct {
	o    *options
	flag string
	// check refuses values that mean nothing, when they are given. It is nil if none can be told yet.
	check func(string) error
}

// String is empty: the flag has no default that the help could show.
func (v *ordered) String() string { return "" }

// Type is the kind of value for pflag, which names values in the help by it, but for a bool.
func (v *ordered) Type() string {
	if v.flag == changeAgain {
		return "bool"
	}
	return "strings"
}

// Set adds values to the changes of the options.
func (v *ordered) Set(text string) error {
	if v.flag == changeAgain {
		// Off is no change, so that --recreate=false says nothing.
		on, err := strconv.ParseBool(text)
		if err == nil && on {
			v.o.changes = append(v.o.changes, &flagged{flag: v.flag})
		}
		return err
	}

	values := strings.Split(text, ",")

	// A value of --resize is a list with commas itself.
	if v.flag == changeResize {
		values = []string{text}
	}
	for _, value := range values {
		if v.check == nil {
			continue
		}
		if err := v.check(value); err != nil {
			return err
		}
	}

	// The last change takes the values of the same flag. Manifests go to where the first of them stand.
	list := v.o.changes
	at := len(list) - 1
	if v.flag == changeFile {
		at = slices.IndexFunc(list, func(f *flagged) bool { return f.flag == changeFile })
	}
	if at >= 0 && list[at].flag == v.flag {
		list[at].values = append(list[at].values, values...)
		return nil
	}
	v.o.changes = append(list, &flagged{v.flag, values})
	return nil
}

// valuesOf returns all values of a flag, in the order given.
func (o *options) valuesOf(flag string) (out []string) {
	for _, f := range o.changes {
		if f.flag == flag {
			out = append(out, f.values...)
		}
	}
	return out
}

// onlyClasses reports whether nothing but priority classes changes.
func (o *options) onlyClasses() bool {
	return !slices.ContainsFunc(o.changes, func(f *flagged) bool { return f.flag != changeClass && f.flag != changeClasses })
}

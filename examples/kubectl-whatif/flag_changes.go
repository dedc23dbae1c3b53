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

// flagged is a change as given on the command line: a flag with its values.
type flagged struct {
	flag   string
	values []string
}

// String returns the change as one would type it, with the values in one list.
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

// ordered is the value of a flag that makes changes. Consecutive values of the same flag form one change. All
// manifests form a single change, at the place of the first of them.
type ordered struct {
	o    *options
	flag string
	// check refuses a value that is malformed, at the time when it is given. It is nil if no value can be
	// refused that early.
	check func(string) error
}

// String is empty: the flag has no default that the help could show.
func (v *ordered) String() string { return "" }

// Type names the kind of value. The help of pflag shows it, except for a bool.
func (v *ordered) Type() string {
	if v.flag == changeAgain {
		return "bool"
	}
	return "strings"
}

// Set adds values to the changes of the options.
func (v *ordered) Set(text string) error {
	if v.flag == changeAgain {
		// A switch that is off is no change: --recreate=false has no effect.
		on, err := strconv.ParseBool(text)
		if err == nil && on {
			v.o.changes = append(v.o.changes, &flagged{flag: v.flag})
		}
		return err
	}

	values := strings.Split(text, ",")

	// A value of --resize is itself a list with commas.
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

	// Values join the last change if it is of the same flag. Manifests join the change of the first manifest.
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

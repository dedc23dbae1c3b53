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

// flagged is a change as the command line has it: a flag with its values.
type flagged struct {
	flag   string
	values []string
}

// String is the change as it was written.
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

// mostValues is how many values of a change a heading names.
const mostValues = 6

// short is the change in a heading.
func (f *flagged) short() string {
	if len(f.values) <= mostValues {
		return f.String()
	}
	few := flagged{f.flag, f.values[:mostValues]}
	return fmt.Sprintf("%s and %d more", few.String(), len(f.values)-mostValues)
}

// ordered is a flag whose values take their places among the changes. Those of one flag that
// follow each other are one change, and so are all manifests, at the place of the first.
type ordered struct {
	o    *options
	flag string
	// check looks at a value when it is given; nil for none.
	check func(string) error
}

func (v *ordered) String() string { return "" }

// Type names the value in the help.
func (v *ordered) Type() string {
	if v.flag == changeAgain {
		return "bool"
	}
	return "strings"
}

// Set adds values.
func (v *ordered) Set(text string) error {
	if v.flag == changeAgain {
		on, err := strconv.ParseBool(text)
		if err == nil && on {
			v.o.changes = append(v.o.changes, &flagged{flag: v.flag})
		}
		return err
	}
	values := strings.Split(text, ",")
	if v.flag == changeResize {
		values = []string{text} // a value is a list itself
	}
	for _, value := range values {
		if v.check == nil {
			continue
		}
		if err := v.check(value); err != nil {
			return err
		}
	}
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

// valuesOf are all values of a flag.
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

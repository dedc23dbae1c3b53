package priority

import (
	"cmp"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
)

// Table is the set of classes of a cluster. It always holds the two built-in
// ones; the zero Table holds no others. A Table never changes, and any number
// of goroutines may use it.
type Table struct {
	// sorted lists the classes by value, the highest first, then by name.
	sorted []outrank.PriorityClass
	// byName has the index in sorted of each class.
	byName map[string]int
	// fallback is the index in sorted of the global default, the class of pods that name
	// none. It is valid only if hasFallback is set.
	fallback    int
	hasFallback bool
}

// NewTable returns a table of the classes of a cluster. The built-in classes
// may be among them; they must pass [Validate] like any other. Two classes of
// one name are an error. Several global defaults are not, because in the
// reference a race can lead to them; see [Table.Default].
//
// The error lists every problem of every class, in the order given, and wraps
// [ErrClass]. The classes are copied; neither the slice nor its pointers are
// kept. Time is n log n in the classes.
func NewTable(classes []*outrank.PriorityClass) (*Table, error) {
	var ps []outrank.Problem
	var kept []outrank.PriorityClass
	seen := make(map[string]bool, len(classes))
	for i, c := range classes {
		ps = append(ps, problems(c, i)...)
		if c == nil {
			continue
		}

		// A missing name is reported already, so it is not reported as a duplicate, too.
		if c.Name != "" && seen[c.Name] {
			ps = append(ps, outrank.Problem{Object: subject(c, i), Field: "metadata.name", Text: "there are two of this name"})
		}
		seen[c.Name] = true
		kept = append(kept, *c)
	}
	if len(ps) > 0 {
		return nil, refuse(ErrClass, ps)
	}
	return build(kept), nil
}

// build makes a table of valid classes with different names. It keeps the slice,
// adds the missing built-in classes, and fills in empty policies.
func build(classes []outrank.PriorityClass) *Table {
	t := &Table{sorted: classes, byName: make(map[string]int, len(classes)+2)}
	for i := range t.sorted {
		t.byName[t.sorted[i].Name] = i
	}
	for _, c := range builtIns() {
		if _, listed := t.byName[c.Name]; !listed {
			t.sorted = append(t.sorted, c)
		}
	}

	slices.SortFunc(t.sorted, func(a, b outrank.PriorityClass) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), strings.Compare(a.Name, b.Name))
	})

	// Sorting has moved the classes, so byName is filled anew.
	for i := range t.sorted {
		c := &t.sorted[i]
		c.PreemptionPolicy = policy(c.PreemptionPolicy)
		t.byName[c.Name] = i

		// Of several global defaults the lowest value wins, and of that value the first
		// by name (rule 4.1.7): classes of one value come in the order of their names,
		// and a later one does not replace an equal one.
		if c.GlobalDefault && (!t.hasFallback || c.Value < t.sorted[t.fallback].Value) {
			t.fallback, t.hasFallback = i, true
		}
	}
	return t
}

// bare is the table with only the built-in classes. It stands for a nil or a zero Table.
var bare = build(nil)

// orBare returns t, or bare for a nil or a zero Table.
func (t *Table) orBare() *Table {
	if t == nil || t.byName == nil {
		return bare
	}
	return t
}

// Lookup returns the class of this name. Its policy is never empty. Time is
// constant.
func (t *Table) Lookup(name string) (outrank.PriorityClass, bool) {
	t = t.orBare()
	i, ok := t.byName[name]
	if !ok {
		return outrank.PriorityClass{}, false
	}
	return t.sorted[i], true
}

// Default returns the class of pods that name none, if there is one: the global
// default, or of several the one with the lowest value (rule 4.1.7;
// getDefaultPriorityClass). Of several with that value it is the first by name,
// where the reference takes any. Time is constant.
func (t *Table) Default() (outrank.PriorityClass, bool) {
	t = t.orBare()
	if !t.hasFallback {
		return outrank.PriorityClass{}, false
	}
	return t.sorted[t.fallback], true
}

// Classes lists the classes by value, the highest first, then by name. The slice is
// the caller's.
func (t *Table) Classes() []outrank.PriorityClass { return slices.Clone(t.orBare().sorted) }

// With returns the table after the creation of the class, as the API server
// would do it (rules 4.1.3 to 4.1.6): the class must pass [Validate], its name
// must be free, and it must not be a second global default. Built-in classes
// exist already. The error lists every problem and wraps [ErrClass]. Time is
// n log n in the classes.
func (t *Table) With(class *outrank.PriorityClass) (*Table, error) {
	t = t.orBare()
	ps := problems(class, alone)
	if class == nil {
		return nil, refuse(ErrClass, ps)
	}

	if _, taken := t.byName[class.Name]; taken {
		ps = append(ps, outrank.Problem{Object: subject(class, alone), Field: "metadata.name", Text: "there is already a class of this name"})
	}
	if other, ok := t.Default(); ok && class.GlobalDefault {
		ps = append(ps, outrank.Problem{
			Object: subject(class, alone), Field: "globalDefault", Text: "class " + other.Name + " already is the global default"})
	}
	if len(ps) > 0 {
		return nil, refuse(ErrClass, ps)
	}

	return build(append(t.Classes(), *class)), nil
}

// Without returns the table after the deletion of the class of this name. Pods
// that were resolved before keep what they have. New pods can no longer name
// the class. The error wraps [ErrClass] for a built-in class, which cannot be
// deleted, and [ErrUnknownClass] for a class that does not exist. Time is that of
// [Table.With].
func (t *Table) Without(name string) (*Table, error) {
	t = t.orBare()
	object := "priorityclass " + name
	if _, builtIn := builtInValue(name); builtIn {
		return nil, refuse(ErrClass, []outrank.Problem{{Object: object, Field: "metadata.name", Text: "a built-in class cannot be removed"}})
	}

	i, ok := t.byName[name]
	if !ok {
		return nil, refuse(ErrUnknownClass, []outrank.Problem{{Object: object, Field: "metadata.name", Text: "there is no such class"}})
	}
	return build(slices.Delete(t.Classes(), i, i+1)), nil
}

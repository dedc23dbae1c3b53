package outrank

import (
	"fmt"

	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/resource"
)

// validator collects the problems of objects, one object after another.
type validator struct {
	problems []Problem
	// kind and key name the present object. key is "number 3" or "without a name" for an
	// object that has no name.
	kind, key string
}

func (v *validator) add(at *apis.Path, format string, args ...any) {
	v.problems = append(v.problems, Problem{v.kind + " " + v.key, at.String(), fmt.Sprintf(format, args...)})
}

// identity names an object. namespace is empty for objects that have none.
type identity struct{ kind, namespace, name string }

// object begins the checks of an object, and checks its name. index is the object's place in
// its list, -1 for an object in no list; messages use it for an object without a name. seen has
// the keys of the objects of this kind so far, nil if names need not be unique.
func (v *validator) object(id identity, index int, seen map[string]bool) {
	key := id.name
	if id.namespace != "" {
		key = id.namespace + "/" + id.name
	}
	v.kind, v.key = id.kind, key

	if id.name == "" {
		v.key = "without a name"
		if index >= 0 {
			v.key = fmt.Sprintf("number %d", index+1)
		}
		v.add(&apis.Path{Name: "metadata.name", Index: -1}, "missing")
		return
	}

	if seen[key] {
		v.add(&apis.Path{Name: "metadata.name", Index: -1}, "there are two of this name")
	}
	if seen != nil {
		seen[key] = true
	}
}

// nameOf returns the name of an object, empty for a nil pointer.
func nameOf(object any) string {
	// A nil pointer in an interface is not a nil interface, so each case checks its own pointer.
	switch o := object.(type) {
	case *Node:
		if o != nil {
			return o.Name
		}
	case *Pod:
		if o != nil {
			return o.Name
		}
	case *PodDisruptionBudget:
		if o != nil {
			return o.Name
		}
	case *PriorityClass:
		if o != nil {
			return o.Name
		}
	case *Namespace:
		if o != nil {
			return o.Name
		}
	case *VolumeClaim:
		if o != nil {
			return o.Name
		}
	case *PodGroup:
		if o != nil {
			return o.Name
		}
	case *CompositePodGroup:
		if o != nil {
			return o.Name
		}
	case *Workload:
		if o != nil {
			return o.Name
		}
	}
	return ""
}

// namespaceOf returns the namespace of an object of a kind that has one, empty for a nil pointer.
func namespaceOf(object any) string {
	// As in nameOf, each case checks its own pointer.
	switch o := object.(type) {
	case *Pod:
		if o != nil {
			return o.NamespaceName()
		}
	case *PodDisruptionBudget:
		if o != nil {
			return o.NamespaceName()
		}
	case *VolumeClaim:
		if o != nil {
			return namespaceOr(o.Namespace)
		}
	case *PodGroup:
		if o != nil {
			return o.NamespaceName()
		}
	case *CompositePodGroup:
		if o != nil {
			return o.NamespaceName()
		}
	case *Workload:
		if o != nil {
			return o.NamespaceName()
		}
	}
	return ""
}

func (v *validator) requirements(requests, limits resource.List, at *apis.Path) {
	r, l := at.Field("requests"), at.Field("limits")
	v.list(requests, &r)
	v.list(limits, &l)
}

// levels refuses resources that cannot be requested at pod level (rule 26.2.3).
func (v *validator) levels(r *resource.Requirements, at *apis.Path) {
	for i, l := range [...]resource.List{r.Requests, r.Limits} {
		list := at.Field([...]string{"requests", "limits"}[i])
		for _, name := range l.Names() {
			if !podLevel(name) {
				one := list.Field(string(name))
				v.add(&one, "a pod as a whole asks for cpu, memory and huge pages alone")
			}
		}
	}
}

// list refuses negative amounts. It sorts the names only where something is wrong.
func (v *validator) list(l resource.List, at *apis.Path) {
	if !hasNegative(l) {
		return
	}
	for _, name := range l.Names() {
		if q := l[name]; q.Sign() < 0 {
			one := at.Field(string(name))
			v.add(&one, "%s is negative", q)
		}
	}
}

// place is a field below the path of its parent. Without a parent it is at the top of the object.
type place struct {
	parent *apis.Path
	field  string
}

// checkWord refuses a word that its field does not allow (rule 26.1.1). It makes the path of the
// field only for a refusal, because a path takes memory.
func checkWord[T ~string](v *validator, word T, known []T, of place) {
	if !apis.IsWord(word, known) {
		at := of.parent.Field(of.field)
		v.add(&at, "%s", apis.NoWord(word, known))
	}
}

// hasNegative reports whether an amount of the list is below zero.
func hasNegative(l resource.List) bool {
	for _, q := range l {
		if q.Sign() < 0 {
			return true
		}
	}
	return false
}

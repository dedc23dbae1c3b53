package worlds

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Trial is a change of one field of one object of a world.
type Trial struct {
	World, Kind, Object string
	// Path is the path of the field as in the table, without the kind. At has the index or the key for each list
	// and map in it.
	Path string
	At   []string
	// Value is the value that the field gets; nil takes it away.
	Value any
	// Present says that the field is there before.
	Present bool
}

// String returns the trial as it stands in a table: "WORLD/OBJECT(AT) = VALUE".
func (t Trial) String() string {
	value := "nothing"
	if t.Value != nil {
		value = mustJSON(t.Value)
	}
	return fmt.Sprintf("%s/%s(%s) = %s", t.World, t.Object, strings.Join(t.At, ", "), value)
}

// ParseTrial reads what String writes, for a field of a kind.
func ParseTrial(kind, path, text string) (Trial, error) {
	where, value, ok := strings.Cut(text, ") = ")
	place, at, ok2 := strings.Cut(where, "(")
	world, object, ok3 := strings.Cut(place, "/")
	if !ok || !ok2 || !ok3 {
		return Trial{}, fmt.Errorf("want WORLD/OBJECT(AT) = VALUE: %s", text)
	}

	t := Trial{World: world, Kind: kind, Object: object, Path: path}
	if at != "" {
		t.At = strings.Split(at, ", ")
	}
	if value == "nothing" {
		return t, nil
	}
	return t, decode([]byte(value), &t.Value)
}

// step is a part of a path: a name, or the entries of a list or of a map.
type step struct {
	name     string
	list, of bool
}

// stepsOf takes a path apart.
func stepsOf(path string) (steps []step) {
	for _, part := range strings.Split(path, ".") {
		name := strings.TrimRight(part, "[]{}")
		steps = append(steps, step{name: name})
		for rest := part[len(name):]; rest != ""; rest = rest[2:] {
			steps = append(steps, step{list: rest[0] == '[', of: rest[0] == '{'})
		}
	}
	return steps
}

// put returns v with a value at a place. Objects and lists on the way are made. A nil value takes the field away.
func put(v any, steps []step, at []string, value any) (any, error) {
	if len(steps) == 0 {
		return value, nil
	}

	switch s := steps[0]; {
	case s.list:
		list, _ := v.([]any)
		i, err := strconv.Atoi(at[0])
		if err != nil || i > len(list) {
			return nil, fmt.Errorf("no entry %s in a list of %d", at[0], len(list))
		}
		if i == len(list) {
			list = append(list[:i:i], nil)
		}
		inner, err := put(list[i], steps[1:], at[1:], value)
		if inner == nil && len(steps) == 1 {
			return slices.Delete(list, i, i+1), err
		}
		list[i] = inner
		return list, err
	case s.of:
		return putKey(v, at[0], steps[1:], at[1:], value)
	default:
		return putKey(v, s.name, steps[1:], at, value)
	}
}

// putKey is put for an entry of an object.
func putKey(v any, key string, rest []step, at []string, value any) (any, error) {
	m, _ := v.(map[string]any)
	if m == nil {
		m = map[string]any{}
	}
	inner, err := put(m[key], rest, at, value)
	if inner == nil && len(rest) == 0 {
		delete(m, key)
		return m, err
	}
	m[key] = inner
	return m, err
}

// places lists where a field can stand in an object: in every entry of the lists and maps on the way, in new ones
// with these keys, and in a list that is empty or missing. present reports whether the field is there.
func places(v any, steps []step, keys []string) (all []place) {
	if len(steps) == 0 {
		return []place{{present: v != nil}}
	}

	within := func(inner any, at ...string) {
		for _, p := range places(inner, steps[1:], keys) {
			all = append(all, place{append(slices.Clone(at), p.at...), p.present})
		}
	}
	switch s := steps[0]; {
	case s.list:
		list, _ := v.([]any)
		for i := range min(len(list), mostEntries) {
			within(list[i], strconv.Itoa(i))
		}
		within(nil, strconv.Itoa(len(list)))
	case s.of:
		m, _ := v.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(m)) {
			within(m[key], key)
		}
		for _, key := range keys {
			if _, there := m[key]; !there {
				within(nil, key)
			}
		}
	default:
		m, _ := v.(map[string]any)
		within(m[s.name])
	}
	return all
}

// mostEntries is the number of entries of a list in which a field is tried.
const mostEntries = 8

// place is where a field stands.
type place struct {
	at      []string
	present bool
}

// With returns the world with the change. The world itself stays as it is.
func (w *World) With(t Trial) (*World, error) {
	out := *w
	out.Objects = slices.Clone(w.Objects)
	for i, o := range out.Objects {
		if kindOf(o) == t.Kind && nameOf(o) == t.Object {
			changed, err := put(clone(o), stepsOf(t.Path), t.At, t.Value)
			if err != nil {
				return nil, err
			}
			out.Objects[i] = changed.(Object)
			return &out, nil
		}
	}
	return nil, fmt.Errorf("no %s %s in the world %s", t.Kind, t.Object, w.Name)
}

package document

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Value returns a member that is always written, in the way that package json writes the value that v points
// to. Only a nil list is written as an empty one.
//
// A function of this file is generic only if it needs the type at compile time: a document has a hundred
// members, and a generic function is compiled again for each of their types.
func Value(name string, v any) Member {
	return Member{
		name: name,
		value: func() (any, bool) {
			r := reflect.ValueOf(v).Elem()
			if r.Kind() == reflect.Slice && r.IsNil() {
				return []Object{}, true
			}
			return r.Interface(), true
		},
		read: func(text []byte) error { return json.Unmarshal(text, v) },
	}
}

// Optional returns a [Value] that is left out if it is empty.
func Optional(name string, v any) Member {
	m := Value(name, v)
	m.value = func() (any, bool) {
		held := reflect.ValueOf(v).Elem().Interface()
		return held, !empty(held)
	}
	return m
}

// Follows returns a member that follows from others. It is written and not read.
func Follows(name string, v any) Member {
	return Member{name: name, value: func() (any, bool) { return v, true }}
}

// OptionalFollows is [Follows] for a member that is left out if it is empty.
func OptionalFollows(name string, v any) Member {
	return Member{name: name, value: func() (any, bool) { return v, !empty(v) }}
}

// Through returns a member that Go keeps in another form. get returns the value to write, and set takes the
// value that was read.
func Through[T any](name string, get func() T, set func(T)) Member {
	return Member{
		name:  name,
		value: func() (any, bool) { return get(), true },
		read: func(text []byte) error {
			var v T
			if err := json.Unmarshal(text, &v); err != nil {
				return err
			}
			set(v)
			return nil
		},
	}
}

// OptionalThrough is [Through] for a member that is left out if it is empty.
func OptionalThrough[T any](name string, get func() T, set func(T)) Member {
	m := Through(name, get, set)
	m.value = func() (any, bool) { v := get(); return v, !empty(v) }
	return m
}

// Part returns a member that is an object. of returns the members of the object for a pointer to its value.
func Part[T any](name string, v *T, of func(*T) Object) Member {
	return Member{
		name:  name,
		value: func() (any, bool) { return of(v), true },
		read:  func(text []byte) error { return of(v).read(text) },
	}
}

// Pointer is [Part] for a pointer. The member is left out if the pointer is nil. Reading sets the pointer only
// if the whole part can be read.
func Pointer[T any](name string, v **T, of func(*T) Object) Member {
	return Member{
		name: name,
		value: func() (any, bool) {
			if *v == nil {
				return nil, false
			}
			return of(*v), true
		},
		read: func(text []byte) error {
			read := new(T)
			if err := of(read).read(text); err != nil {
				return err
			}
			*v = read
			return nil
		},
	}
}

// Parts returns a member that is a list of objects. It is always written. of is as in [Part].
func Parts[T any](name string, list *[]T, of func(*T) Object) Member {
	return listed(name, list, func(i int) Object { return of(&(*list)[i]) })
}

// listed is [Parts] for a pointer to a list of any type. at returns the object of the i-th element of the list.
func listed(name string, list any, at func(i int) Object) Member {
	held := reflect.ValueOf(list).Elem()
	return Member{
		name: name,
		value: func() (any, bool) {
			out := make([]Object, held.Len())
			for i := range out {
				out[i] = at(i)
			}
			return out, true
		},
		read: func(text []byte) error {
			var each []json.RawMessage
			if err := json.Unmarshal(text, &each); err != nil {
				return err
			}

			// at works on elements in the list itself, so each must be read in its place. If one of them cannot
			// be read, the list that was there before is restored.
			before := reflect.ValueOf(held.Interface())
			held.Set(reflect.MakeSlice(held.Type(), len(each), len(each)))
			for i, text := range each {
				if string(text) == "null" {
					continue
				}
				if err := at(i).read(text); err != nil {
					held.Set(before)
					return within(fmt.Sprintf("[%d]", i), err)
				}
			}
			return nil
		},
	}
}

// OptionalParts is [Parts] for a member that is left out if the list is empty.
func OptionalParts[T any](name string, list *[]T, of func(*T) Object) Member {
	return unlessNone(Parts(name, list, of))
}

// unlessNone returns a member that is left out if its list of objects is empty.
func unlessNone(m Member) Member {
	value := m.value
	m.value = func() (any, bool) {
		v, _ := value()
		return v, len(v.([]Object)) > 0
	}
	return m
}

// Cut returns a list, followed by a member with the number of entries that the list leaves out. The name of
// that member is "more" and the name of the list, as in "moreVictims". It is left out if the number is 0.
func Cut(list Member, more *int) Member {
	return Member{several: Object{list, Optional("more"+strings.ToUpper(list.name[:1])+list.name[1:], more)}}
}

// If returns a member that is written only if there is true. It is always read.
func If(there bool, m Member) Member {
	value := m.value
	m.value = func() (any, bool) {
		if !there {
			return nil, false
		}
		return value()
	}
	return m
}

// Then returns a member that calls done after it has been read.
func Then(m Member, done func()) Member {
	read := m.read
	m.read = func(text []byte) error {
		err := read(text)
		if err == nil {
			done()
		}
		return err
	}
	return m
}

// Else returns a member that calls absent if it is missing or null.
func Else(m Member, absent func()) Member {
	m.absent = absent
	return m
}

// With returns several members in place of one. They are members of the same object.
func With(members ...Member) Member { return Member{several: members} }

package apitest

import (
	"reflect"
	"strings"
)

// At makes sure that there is a value at a path below v, such as spec.containers[].name, and returns it. In a
// list with several elements it picks one at random.
func (f *Filler) At(v reflect.Value, path string) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		if below := v.Type().Elem(); path == "" && (below.Kind() != reflect.Struct || below.NumField() == 0) {
			return v // the field is the pointer together with its target
		}
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return f.At(v.Elem(), path)

	case reflect.Slice:
		rest, within := strings.CutPrefix(path, "[]")
		if !within {
			return v
		}
		if v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			f.fill(v.Index(0), "", 0)
		}
		return f.At(v.Index(f.IntN(v.Len())), rest)
	}

	path = strings.TrimPrefix(path, ".")
	if path == "" {
		return v
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name := join("", field)

		// The path does not name an embedded field that it leads through.
		if name == "" {
			if found := f.At(v.Field(i), path); found.IsValid() {
				return found
			}
			continue
		}
		if rest, ok := strings.CutPrefix(path, name); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return f.At(v.Field(i), rest)
		}
	}
	return reflect.Value{}
}

// Alter changes a value that [Filler.At] has returned for path.
func (f *Filler) Alter(v reflect.Value, path string) {
	name := path[strings.LastIndex(path, ".")+1:]
	name = strings.ToUpper(name[:1]) + strings.TrimSuffix(name[1:], "[]")
	if name == "DeletionTimestamp" && v.Kind() == reflect.Struct {
		f.fill(v, name, 0)
	}
	before := reflect.New(v.Type()).Elem()
	before.Set(v)
	for range 20 {
		v.SetZero()
		f.fill(v, name, 0)
		if !reflect.DeepEqual(before.Interface(), v.Interface()) {
			return
		}
	}
}

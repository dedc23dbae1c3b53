package proof

import (
	"fmt"
	"reflect"

	"github.com/outrank-go/outrank/internal/proof/dafny"
)

// write returns a value of Go as one of the model: a struct as the constructor of its name, with the fields in
// their order, a [Word] as the constructor that it names, a [Set] as a set.
func (m *Model) write(from any) (dafny.Value, error) {
	switch v := from.(type) {
	case int:
		return dafny.Int(v), nil
	case bool:
		return dafny.Bool(v), nil
	case Word:
		return m.program.Make(string(v))
	case Set:
		list, err := m.writeAll(len(v), func(i int) any { return v[i] })
		return dafny.NewSet(list...), err
	}

	v := reflect.ValueOf(from)
	switch v.Kind() {
	case reflect.Slice:
		list, err := m.writeAll(v.Len(), func(i int) any { return v.Index(i).Interface() })
		return dafny.Seq(list), err
	case reflect.Struct:
		fields, err := m.writeAll(v.NumField(), func(i int) any { return v.Field(i).Interface() })
		if err != nil {
			return nil, err
		}
		return m.program.Make(v.Type().Name(), fields...)
	}
	return nil, fmt.Errorf("the model has no %T", from)
}

// writeAll writes the elements of a list, or the fields of a struct.
func (m *Model) writeAll(count int, at func(int) any) (list []dafny.Value, err error) {
	for i := range count {
		value, err := m.write(at(i))
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	return list, nil
}

// read stores a value of the model in one of Go, as write would have written it. It does not read sets.
func read(from dafny.Value, to any) error { return readInto(from, reflect.ValueOf(to).Elem()) }

func readInto(from dafny.Value, to reflect.Value) error {
	switch v := from.(type) {
	case dafny.Int:
		if to.Kind() == reflect.Int || to.Kind() == reflect.Int64 {
			to.SetInt(int64(v))
			return nil
		}
	case dafny.Bool:
		if to.Kind() == reflect.Bool {
			to.SetBool(bool(v))
			return nil
		}
	case dafny.Seq:
		if to.Kind() == reflect.Slice {
			to.Set(reflect.MakeSlice(to.Type(), len(v), len(v)))
			return readFields(v, to.Index)
		}
	case *dafny.Data:
		if to.Kind() == reflect.String {
			to.SetString(v.Constructor)
			return nil
		}
		if to.Kind() == reflect.Struct && to.NumField() == len(v.Fields) {
			return readFields(v.Fields, to.Field)
		}
	}
	return fmt.Errorf("a %T of the model is no %s", from, to.Type())
}

func readFields(values []dafny.Value, at func(int) reflect.Value) error {
	for i, v := range values {
		if err := readInto(v, at(i)); err != nil {
			return err
		}
	}
	return nil
}

package engine

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
)

// The engine reads every field of a configuration: what it is handed has the same fields, and
// is zero in none that is set.
func TestSettingsHaveEveryField(t *testing.T) {
	asked, read := reflect.TypeFor[Config](), reflect.TypeFor[dryrun.Settings]()
	assert.Equal(t, asked.NumField(), read.NumField())
	for i := range asked.NumField() {
		name := asked.Field(i).Name
		var c Config
		field := reflect.ValueOf(&c).Elem().Field(i)
		switch field.Kind() {
		case reflect.Func:
			field.Set(reflect.MakeFunc(field.Type(), func([]reflect.Value) []reflect.Value { return nil }))
		case reflect.Slice:
			field.Set(reflect.MakeSlice(field.Type(), 1, 1))
		case reflect.Pointer:
			field.Set(reflect.New(field.Type().Elem()))
		case reflect.Interface:
			field.Set(reflect.ValueOf(&drawnGuard{}))
		case reflect.Struct:
			fillAny(field)
		default:
			field.Set(reflect.ValueOf(1).Convert(field.Type()))
		}
		s := c.settings()
		handed := reflect.ValueOf(s).FieldByName(name)
		if assert.True(t, handed.IsValid(), "the engine has no %s", name) {
			assert.False(t, handed.IsZero(), "%s is not handed on", name)
		}
	}
}

// fillAny sets the first field that is a truth value or a list.
func fillAny(s reflect.Value) {
	for i := range s.NumField() {
		switch f := s.Field(i); f.Kind() {
		case reflect.Bool:
			f.SetBool(true)
			return
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
			return
		}
	}
}

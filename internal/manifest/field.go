package manifest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

var writtenType = reflect.TypeFor[Written]()

// fieldName is the field's name in JSON.
func fieldName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// readsItself reports whether the type has its own UnmarshalJSON.
func readsItself(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
}

// mostParts is the most parts of all lists of one object. A part of two bytes takes
// some hundred in memory, so that the size of an object alone would be no bound. The 3
// MB that an API server takes have room for fewer parts with any content.
const mostParts = 250_000

var errParts = fmt.Errorf("its lists have more than %d parts together; no API server has an object of that size", mostParts)

package manifest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// writtenType is the type of fields that are written and not read.
var writtenType = reflect.TypeFor[Written]()

// fieldName returns the name of a field in JSON.
func fieldName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// readsItself reports whether the type has its own UnmarshalJSON.
func readsItself(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
}

// mostParts is the largest number of parts in all lists of one object. A part with two bytes of text takes some
// hundred bytes of memory, so the size of the text does not bound the memory. The 3 MB that an API server
// accepts have room for fewer parts with any content.
const mostParts = 250_000

// errParts is the error about an object with more than mostParts parts.
var errParts = fmt.Errorf("its lists have more than %d parts together; no API server has an object of that size", mostParts)

package convert

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/outrank-go/outrank"
)

// problems collects what is wrong with one object.
type problems struct {
	kind, namespace, name string
	list                  []outrank.Problem
}

func (ps *problems) add(field, format string, args ...any) {
	object := ps.kind + " " + ps.name
	if ps.namespace != "" {
		object = ps.kind + " " + string(outrank.NewKey(ps.namespace, ps.name))
	}
	ps.list = append(ps.list, outrank.Problem{Object: object, Field: field, Text: fmt.Sprintf(format, args...)})
}

// with adds what validating found, but for fields that have a problem already, and
// returns all of it.
func (ps *problems) with(found error) error {
	var invalid *outrank.InputError
	if !errors.As(found, &invalid) {
		if len(ps.list) == 0 {
			return found
		}
		return &outrank.InputError{Problems: ps.list}
	}
	known := make(map[string]bool, len(ps.list))
	for _, p := range ps.list {
		known[p.Field] = true
	}
	for _, p := range invalid.Problems {
		if !known[p.Field] {
			ps.list = append(ps.list, p)
		}
	}
	return &outrank.InputError{Problems: ps.list, More: invalid.More}
}

// orDefault is the namespace that an object without one is in.
func orDefault(namespace string) string {
	if namespace == "" {
		return outrank.DefaultNamespace
	}
	return namespace
}

// missing is the error about an object that is nil.
func missing(kind string) error {
	return &outrank.InputError{Problems: []outrank.Problem{{Object: kind, Text: "there is none: the pointer is nil"}}}
}

// The first and the last second that a time of the API can be in: the years 0 to 9999.
var (
	firstSecond = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	lastSecond  = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).Unix()
)

// checkTime refuses a time that JSON cannot have.
func (ps *problems) checkTime(t time.Time, field string) {
	if s := t.Unix(); s < firstSecond || s > lastSecond {
		ps.add(field, "%s is not a time such as 2026-01-10T12:00:00Z", strconv.Quote(t.UTC().Format(time.RFC3339)))
	}
}

package apis

import (
	"errors"
	"fmt"
	"strings"
)

// Codec writes and reads the JSON of objects, which are pointers to the plain types of package outrank. That
// package does not know the JSON of Kubernetes. Package preemption/kube does, and registers a Codec when it is
// imported, like an image format. A program that does not import preemption/kube gets an error, so that nothing
// is lost silently.
type Codec struct {
	Marshal   func(object any) ([]byte, error)
	Unmarshal func(text []byte, object any) error
}

// registered is the codec in use. It is set while packages are initialised, and only read afterwards.
var registered Codec

// Register sets the codec that [Marshal] and [Unmarshal] use. Only an init function may call it.
func Register(c Codec) { registered = c }

// Marshal returns the JSON of an object. Without a codec the error wraps
// [errors.ErrUnsupported].
func Marshal(object any) ([]byte, error) {
	if registered.Marshal == nil {
		return nil, missing(object)
	}
	return registered.Marshal(object)
}

// Unmarshal reads JSON into an object. Without a codec it changes nothing, and the error
// wraps [errors.ErrUnsupported].
func Unmarshal(text []byte, object any) error {
	if registered.Unmarshal == nil {
		return missing(object)
	}
	return registered.Unmarshal(text, object)
}

// missing returns the error for an object if no codec is registered.
func missing(object any) error {
	name := strings.TrimPrefix(fmt.Sprintf("%T", object), "*")
	return fmt.Errorf("%w: the JSON of %s is in github.com/outrank-go/outrank/preemption/kube, which the program does not import", errors.ErrUnsupported, name)
}

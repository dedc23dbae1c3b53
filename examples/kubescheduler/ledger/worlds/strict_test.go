package worlds

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/outrank-go/outrank/examples/kubescheduler/ledger"
)

// strict decodes an object into its type of the API, which has to have all of its fields.
func strict(k ledger.Kind, o Object) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(reflect.New(k.Type).Interface())
}

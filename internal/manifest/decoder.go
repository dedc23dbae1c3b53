package manifest

import "reflect"

// Decoder decodes one object after another, and uses the memory of earlier objects again. The zero Decoder is
// ready for use. Only one goroutine may use it at a time.
type Decoder struct{ memory memory }

// Text returns a text equal to s that the Decoder keeps, and keeps s if there is none. Texts recur from object
// to object, so this saves memory.
func (d *Decoder) Text(s string) string { return d.memory.text(s) }

// Decode reads raw into the value of a wire type that to points to. The earlier value is overwritten, but the
// memory of its lists of structs is used again. If values have the wrong type, the rest is filled in all the
// same, and every such field is listed, in the order of the input, up to a thousand of them. For text that is
// not JSON, and for an object whose lists have too many parts, the list has a single entry without a field.
//
// The Decoder owns the maps of type [Amounts] in the value. They are valid until the next object is decoded.
func (d *Decoder) Decode(raw []byte, to any) []Mismatch {
	d.memory.forget()
	v := reflect.ValueOf(to).Elem()
	if quickly(&d.memory, raw, v) {
		return nil
	}

	// The quick reader may have filled in some fields before it gave up.
	v.SetZero()
	return standard(raw, to)
}

// Decode is [Decoder.Decode] for a single object.
func Decode(raw []byte, to any) []Mismatch { return new(Decoder).Decode(raw, to) }

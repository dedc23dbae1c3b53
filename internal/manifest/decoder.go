package manifest

import "reflect"

// Decoder decodes one object after another, with less work than each by itself takes.
// The zero Decoder is ready for use. It must not be used by several goroutines at once.
type Decoder struct{ memory memory }

// Text returns the single copy of a text, because texts recur from object to object.
func (d *Decoder) Text(s string) string { return d.memory.text(s) }

// Decode reads raw into a wire type by the pointer to. An object that it held before is gone,
// but for the memory of its lists of structs, which is used again. Where
// values have the wrong type the rest is filled in all the same, and every such field is
// listed, in the order of the input, up to a thousand of them. Text that is not JSON is a
// single entry without a field, and so is an object whose lists have too many parts.
//
// The Decoder owns the maps of type [Amounts] in it: they are valid until the next object
// is decoded.
func (d *Decoder) Decode(raw []byte, to any) []Mismatch {
	d.memory.forget()
	v := reflect.ValueOf(to).Elem()
	if quickly(&d.memory, raw, v) {
		return nil
	}
	v.SetZero()
	return standard(raw, to)
}

// Decode is [Decoder.Decode] of a single object.
func Decode(raw []byte, to any) []Mismatch { return new(Decoder).Decode(raw, to) }

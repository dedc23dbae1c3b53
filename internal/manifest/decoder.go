package manifest

import "reflect"

// Decoder decodes one object after another, and uses memory of the objects before. The zero Decoder is ready for use. It
// must not be used by several goroutines at once.
type Decoder struct{ memory memory }

// Text returns the one copy of a text that is kept, since texts recur from object to object.
func (d *Decoder) Text(s string) string { return d.memory.text(s) }

// Decode reads raw into a value of a wire type, to which to points. The value that was there is gone, but the memory of
// its lists of structs is used again. Where values have the wrong type, the rest is filled in all the same. Every such
// field is listed, in the order of the input, up to a thousand of them. Text that is not JSON is a single entry without a
// field, and so is an object whose lists have too many parts.
//
// The Decoder owns the maps of type [Amounts] in the value. They are valid until the next object is decoded.
func (d *Decoder) Decode(raw []byte, to any) []Mismatch {
	d.memory.forget()
	v := reflect.ValueOf(to).Elem()
	if quickly(&d.memory, raw, v) {
		return nil
	}

	// What the quick reader filled in before it gave up is of no use.
	v.SetZero()
	return standard(raw, to)
}

// Decode is [Decoder.Decode] for a single object.
func Decode(raw []byte, to any) []Mismatch { return new(Decoder).Decode(raw, to) }

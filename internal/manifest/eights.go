package manifest

import (
	"encoding/binary"
	"math/bits"
)

// Most bytes in strings, and in the spaces at the beginning of a line, have no meaning for the scanner. So they
// are looked at eight at a time, as one number whose lowest byte is the first. The functions below mark each
// byte that is looked for by its highest bit. Bytes above the first mark may be marked by mistake, because the
// subtraction borrows from them; so only the first mark counts.

const (
	eachByte = 0x0101010101010101
	highBits = 0x80 * eachByte
)

// eight returns the eight bytes from a place on, as one number.
func eight(buf []byte, at int) uint64 { return binary.LittleEndian.Uint64(buf[at:]) }

// zeroes marks the bytes that are 0: subtracting 1 turns on their highest bit, which was off.
func zeroes(x uint64) uint64 { return (x - eachByte) &^ x & highBits }

// below marks the bytes below n, which is at most 128.
func below(x uint64, n uint64) uint64 { return (x - n*eachByte) &^ x & highBits }

// first returns the place of the first mark among the eight bytes.
func first(marks uint64) int { return bits.TrailingZeros64(marks) / 8 }

// afterSpaces returns the place of the first byte that is no space, from place at on, or the length of the
// text.
func afterSpaces(buf []byte, at int) int {
	for ; len(buf)-at >= 8; at += 8 {
		if others := eight(buf, at) ^ ' '*eachByte; others != 0 {
			return at + first(others)
		}
	}
	for at < len(buf) && buf[at] == ' ' {
		at++
	}
	return at
}

// beforeQuote returns the place of the first quote or backslash, from place at on, or the length of the text.
func beforeQuote(buf []byte, at int) int {
	for ; len(buf)-at >= 8; at += 8 {
		x := eight(buf, at)
		if marks := zeroes(x^'"'*eachByte) | zeroes(x^'\\'*eachByte); marks != 0 {
			return at + first(marks)
		}
	}
	for at < len(buf) && buf[at] != '"' && buf[at] != '\\' {
		at++
	}
	return at
}

// afterPlain returns the place of the first byte, from place at on, that ends a string or needs a closer look:
// a quote, a backslash, a control character, or a byte that is not ASCII. It returns the length of the text if
// there is none.
func afterPlain(buf []byte, at int) int {
	for ; len(buf)-at >= 8; at += 8 {
		x := eight(buf, at)
		if marks := zeroes(x^'"'*eachByte) | zeroes(x^'\\'*eachByte) | below(x, ' ') | x&highBits; marks != 0 {
			return at + first(marks)
		}
	}
	for at < len(buf) && buf[at] != '"' && buf[at] != '\\' && buf[at]-' ' < 0x80-' ' {
		at++
	}
	return at
}

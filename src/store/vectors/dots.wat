;; Dot products of a question with vectors of one byte a component, sixteen components a step.
;; test/store/dots.test.ts assembles this and compares it with what src/store/vectors/dots.ts carries.
(module
  (import "room" "memory" (memory 1))
  ;; question: where it lies, followed by zeros up to a multiple of 16. from: where the first vector lies, size: bytes a vector; what is read
  ;; behind its end meets those zeros. out: where the products go, 4 bytes each.
  (func (export "dots") (param $question i32) (param $from i32) (param $size i32) (param $count i32) (param $out i32)
    (local $end i32) (local $at i32) (local $sum v128) (local $one v128) (local $other v128)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $vectors
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (local.set $at (i32.const 0))
        (loop $parts
          (local.set $one (v128.load (i32.add (local.get $question) (local.get $at))))
          (local.set $other (v128.load (i32.add (local.get $from) (local.get $at))))
          (local.set $sum
            (i32x4.add
              (local.get $sum)
              (i32x4.add
                (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $one)) (i16x8.extend_low_i8x16_s (local.get $other)))
                (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $one)) (i16x8.extend_high_i8x16_s (local.get $other))))))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $parts (i32.lt_u (local.get $at) (local.get $size))))
        (i32.store
          (local.get $out)
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
            (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))
        (local.set $from (i32.add (local.get $from) (local.get $size)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $vectors)))))

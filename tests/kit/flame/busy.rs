// A Rust program with a known profile: rust_hot does 70 % of the work, rust_warm 30 %.
//
//     busy_rust ROUNDS
#[inline(never)]
fn spin(steps: u64) -> u64 {
    let mut x = 1u64;
    for _ in 0..steps {
        x = std::hint::black_box(x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407));
    }
    x
}

#[inline(never)]
fn rust_hot() -> u64 {
    spin(7000000) ^ 1
}

#[inline(never)]
fn rust_warm() -> u64 {
    spin(3000000) ^ 2
}

fn main() {
    let rounds = std::env::args().nth(1).map_or(100, |text| text.parse::<u64>().unwrap());
    let mut sum = 0;
    for _ in 0..rounds {
        sum ^= rust_hot() ^ rust_warm();
    }
    println!("{}", sum);
}
